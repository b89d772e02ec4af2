import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { openBench } from './nights.ts'

useTurnClock()

test('what only our service refuses is sent and reported (decision 41)', async () => {
  await using bench = await openBench()
  const night = await bench.run(`version: 1
name: p
inputs: { file: { type: file } }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: RECORD_ID, resultContent: HASHED }
  - id: it
    uses: segments.create
    with: { segmentFileName: "\${{ steps.upload.outputs.name }}", participantSegmentId: a, segmentName: A, uploadSignal: RECORD_ID, resultContent: HASHED }
`)
  expect([night.state, night.message]).toEqual(['succeeded', ''])
  const { text, code } = await bench.audience(['validate', join(bench.folder, 'document.yaml')])
  expect([code, text]).toEqual([
    0,
    expect.stringContaining('warning segments.create: resultContent HASHED is not allowed with'),
  ])
})
