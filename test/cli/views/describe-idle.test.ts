import { expect, test } from 'vitest'
import { describeWhoActs } from '../../../src/cli/views/describe-idle.ts'

test.each([
  [{ owner: 'process 7 on h' }, 'process 7 on h resumes it'],
  [{ queuedFor: 'worker' }, 'it is queued for a worker, which resumes it'],
  [
    { queuedFor: 'noWorker' },
    'it is queued for a worker, and none is running; to resume it: audience start, or audience runs resume r1',
  ],
  [{}, 'no process is working on it; to resume it: audience start, or audience runs resume r1'],
] as const)('who acts on a decision about a run with %j', (row, text) => {
  expect(describeWhoActs({ runId: 'r1', ...row })).toBe(text)
})
