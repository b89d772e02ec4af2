import { openApp } from '../../../src/app.ts'
import { createSecrets } from '../../../src/core/secrets.ts'
import { createLog } from '../../../src/log.ts'
import { readPipeline } from '../../../src/read-pipeline.ts'
import { times } from '../subject.ts'

/** The whole runner in a process of its own, to be killed: submits so many runs, or takes up what another left. */
const [, , state = '', baseUrl = '', pollsPerSecond = '', ceilingMs = '', runs = ''] = process.argv

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
const app = await openApp({ settings, env: {}, log, secrets, notice: () => undefined })
process.send?.('open')
if (runs === '') {
  app.engine.start()
} else {
  const pipeline = readPipeline({ text: TEXT, file: 'waiting.yaml' })
  await times(Number(runs), 200, (index) => {
    const key = `segment-${index}`
    return app.engine.submit({ runId: `run-${index}`, pipeline, inputs: { key }, trigger: {} })
  })
  process.send?.('submitted')
}
process.on('message', async () => {
  await app.close()
  process.disconnect()
})
