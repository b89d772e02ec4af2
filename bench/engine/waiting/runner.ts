import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApp } from '../../../src/app/app.ts'
import { systemSurroundings } from '../../../src/app/surroundings.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import { createSecrets } from '../../../src/core/secrets.ts'
import { readPipeline } from '../../../src/daemon/documents/read-pipeline.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLog } from '../../../src/platform/logger.ts'
import { releaseMemory } from '../../../src/platform/release-memory.ts'
import { stepTypes } from '../../../src/steps/index.ts'

/** The whole runner in a separate process that can be killed: submits runs, or resumes the runs of a killed one. */
const [, , state = '', baseUrl = '', pollsPerSecond = '', ceilingMs = '', mode = '', count = ''] = process.argv
const runs = Number(count)

const TEXT = `version: 1
name: waiting
inputs:
  key: { type: string }
steps:
  - id: segment
    uses: segments.create
    with:
      segmentFileName: people.csv
      participantSegmentId: \${{ inputs.key }}
      segmentName: Waiting
      uploadSignal: EMAIL
      resultContent: HASHED
    await: { timeout: 24h, poll: { initial: ${Math.round(Number(ceilingMs) / 60)}ms, max: ${Math.round(Number(ceilingMs))}ms } }
outputs:
  segmentId: \${{ steps.segment.outputs.segmentId }}
`

/** The number of runs that may be active before they wait. */
const MOST_ON_THEIR_WAY = 200

const secrets = createSecrets()
const env = { AUDIENCE_BASE_URL: baseUrl, AUDIENCE_TOKEN: 'bench-token', AUDIENCE_STATE: state }
const settings = loadSettings({ env, cwd: tmpdir(), flags: {} })
const profile = { ...settings.profile, limits: { pollsPerSecond: Number(pollsPerSecond) } }
const log = createLog({ level: 'error', destination: process.stderr, secrets, clock: systemClock })
const beginnings = countBeginnings()
const app = await openApp({
  settings: { ...settings, profile, maxRuns: runs },
  takes: 'all',
  version: 'bench',
  env,
  log,
  secrets,
  surroundings: systemSurroundings,
  notice: () => undefined,
})
// As the daemon does.
void releaseMemory(systemClock, new AbortController().signal)
process.send?.('open')
if (mode === 'take-up') {
  app.engine.start()
  while (beginnings() < runs) await sleep(5)
  process.send?.('begun')
} else {
  await submitAll(readPipeline({ text: TEXT, file: 'waiting.yaml' }))
}

async function submitAll(pipeline: Pipeline): Promise<void> {
  let submitted = 0
  let waiting = 0
  process.on('message', (created: number) => {
    waiting = created
  })
  const submit = (index: number) =>
    app.engine.submit({
      runId: `run-${index}`,
      pipeline,
      folder: state,
      inputs: { key: `segment-${index}` },
      trigger: {},
    })
  while (submitted < runs) {
    const room = Math.min(runs, waiting + MOST_ON_THEIR_WAY) - submitted
    await Promise.all(Array.from({ length: room }, () => submit(submitted++)))
    await sleep(5)
  }
}

/** A run counts as resumed when the work of its step continues; nothing outside shows that as exactly. */
function countBeginnings(): () => number {
  const type = stepTypes.get('segments.create')
  if (!type || !(stepTypes instanceof Map)) throw new Error('there is no step type segments.create')
  let begun = 0
  const run: typeof type.run = (...given) => {
    begun += 1
    return type.run(...given)
  }
  stepTypes.set(type.name, { ...type, run })
  return () => begun
}
