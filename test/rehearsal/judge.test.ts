import { expect, test } from 'vitest'
import { judge, type SeenInEvent } from '../../src/rehearsal/judge.ts'
import type { TestExpectation } from '../../src/rehearsal/test-document.ts'
import type { RunDescription } from '../../src/runs/describe-run.ts'
import { nightly } from './fixtures.ts'

const failed = (runId: string) => ({ runId, status: 'failed', steps: [] }) as unknown as RunDescription
const two: SeenInEvent = {
  runs: [failed('first'), failed('second')],
  waits: [[], []],
  newest: failed('second'),
  held: [],
  requests: [],
  writes: {},
  notified: {},
  sent: [],
  live: { segments: 0, matches: 0, activations: 0 },
  absent: [],
  plan: undefined,
}

const about = { pipeline: nightly(), starts: true }
const expecting = (wanted: Partial<TestExpectation>) => judge(wanted as TestExpectation, two, about)

test('a failure that is expected of the newest run does not seem refused when another run failed, too', () => {
  const [found, ...others] = expecting({ status: 'failed' })
  expect(others).toEqual([])
  expect(found?.expected).toContain(
    'because every run except the newest must succeed; if other runs should not succeed, say how many with `runs`',
  )
  expect(expecting({}).map((one) => one.expected)).toEqual(['succeeded', 'succeeded'])
  expect(expecting({ runs: { failed: 2 } })).toEqual([])
})
