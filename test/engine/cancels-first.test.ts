import { expect, test } from 'vitest'
import { cancelsFirst } from '../../src/engine/active-runs.ts'
import type { SentMessage } from '../../src/state/run-history.ts'

test('cancels come before decisions, each kind in the order in which it was sent', () => {
  const decision = { kind: 'decision', ref: { step: 'ask' }, decision: 'approve' }
  const sent = [decision, { kind: 'cancel' }, decision, { kind: 'cancel' }].map((message, id) => ({
    ...{ id, runId: 'r', message },
  })) as SentMessage[]
  expect(cancelsFirst(sent).map(({ id }) => id)).toEqual([1, 3, 0, 2])
  expect(sent.map(({ id }) => id)).toEqual([0, 1, 2, 3])
})
