import { openApp } from '../../../src/app.ts'
import { createSecrets } from '../../../src/core/secrets.ts'
import { createLog } from '../../../src/log.ts'
import { readPipeline } from '../../../src/read-pipeline.ts'
import { stepTypes } from '../../../src/steps/index.ts'
import { times } from '../subject.ts'

/** The whole runner in a process of its own, to be killed: submits so many runs, or takes up what another left. */
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
    await: { timeout: 24h, poll: { initial: ${Math.round(Number(ceilingMs) / 60)}ms, max: ${ceilingMs}ms } }
outputs:
  segmentId: \${{ steps.segment.outputs.segmentId }}
`

const secrets = createSecrets()
const settings = {
  profileName: 'bench',
  profile: { baseUrl, token: 'bench-token', limits: { pollsPerSecond: Number(pollsPerSecond) } },
  state,
}
const log = createLog({ level: 'error', destination: process.stderr, secrets })
tellWhenBegun()
const app = await openApp({ settings, env: {}, log, secrets, notice: () => undefined })
process.send?.('open')
if (mode === 'take-up') {
  app.engine.start()
} else {
  const pipeline = readPipeline({ text: TEXT, file: 'waiting.yaml' })
  await times(runs, 200, (index) => {
    const key = `segment-${index}`
    return app.engine.submit({ runId: `run-${index}`, pipeline, inputs: { key }, trigger: {} })
  })
}

/** A run is taken up when the work of its step goes on; nothing outside shows that as exactly. */
function tellWhenBegun(): void {
  const type = stepTypes.get('segments.create')
  if (!type || !(stepTypes instanceof Map)) throw new Error('there is no step type segments.create')
  let begun = 0
  stepTypes.set('segments.create', {
    ...type,
    run(context: Parameters<typeof type.run>[0], ...rest: unknown[]) {
      begun += 1
      if (begun === runs) process.send?.('begun')
      return type.run(context, ...(rest as [never, never]))
    },
  })
}
