// Plain JavaScript over the compiled sources: Node's type stripping would add its own memory to what is measured.
// The whole runner in a process of its own, to be killed: submits so many runs, or takes up what another left.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , compiled, state, baseUrl, pollsPerSecond, ceilingMs, mode, count] = process.argv
const runs = Number(count)
const load = (file) => import(pathToFileURL(join(compiled, file)).href)
const { openApp } = await load('app.js')
const { createSecrets } = await load('core/secrets.js')
const { createLog } = await load('log.js')
const { readPipeline } = await load('read-pipeline.js')
const { stepTypes } = await load('steps/index.js')

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
    await: { timeout: 24h, poll: { initial: ${Math.round(Number(ceilingMs) / 60)}ms, max: ${ceilingMs}ms } }
outputs:
  segmentId: \${{ steps.segment.outputs.segmentId }}
`

/** How many runs may be on their way to their waiting. */
const MOST_ON_THEIR_WAY = 200

const secrets = createSecrets()
const profile = { baseUrl, token: 'bench-token', limits: { pollsPerSecond: Number(pollsPerSecond) } }
const log = createLog({ level: 'error', destination: process.stderr, secrets })
const begun = countBeginnings()
const app = await openApp({
  settings: { profileName: 'bench', profile, state },
  env: {},
  log,
  secrets,
  notice: () => undefined,
})
process.send('open')
if (mode === 'take-up') {
  app.engine.start()
  await begun(runs)
  process.send('begun')
} else {
  const pipeline = readPipeline({ text: TEXT, file: 'waiting.yaml' })
  let submitted = 0
  let waiting = 0
  process.on('message', (created) => {
    waiting = created
  })
  while (submitted < runs) {
    const room = Math.min(runs, waiting + MOST_ON_THEIR_WAY) - submitted
    await Promise.all(Array.from({ length: room }, () => submit(pipeline, submitted++)))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function submit(pipeline, index) {
  return app.engine.submit({ runId: `run-${index}`, pipeline, inputs: { key: `segment-${index}` }, trigger: {} })
}

/** A run is taken up when the work of its step goes on; nothing outside shows that as exactly. */
function countBeginnings() {
  const type = stepTypes.get('segments.create')
  let beginnings = 0
  stepTypes.set(type.name, {
    ...type,
    run(...args) {
      beginnings += 1
      return type.run(...args)
    },
  })
  return async (wanted) => {
    while (beginnings < wanted) await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
