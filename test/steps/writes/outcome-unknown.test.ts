import { expect, test } from 'vitest'
import { outcomeUnknown } from '../../../src/steps/writes/outcome-unknown.ts'

const HERE = { runId: 'r', stepKey: 'share', attempt: 2 }

test.each([
  ['this try', undefined, '(segments.create) and'],
  ['this try, by name', { runId: 'r', attempt: 2 }, '(segments.create) and'],
  ['an earlier try', { runId: 'r', attempt: 1 }, '(segments.create) in attempt 1 and'],
  ['a try of another run', { runId: 'q', attempt: 2 }, '(segments.create) in attempt 2 of run q and'],
  ['another run, of which no try is known', { runId: 'q' }, '(segments.create) in run q and'],
])('a person is told what was sent by %s', (_what, sentBy, said) => {
  const looked = { lookedFor: 'a segment', found: 'there is none' }
  const { message } = outcomeUnknown(HERE, { operation: 'segments.create', sentBy, ...looked })
  expect(message).toContain(`step "share" sent POST /api/segments ${said} got no answer; it looked for a segment`)
})
