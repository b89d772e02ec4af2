import { expect, test } from 'vitest'
import { messagesIn, sentDecisions, sentMessages } from '../../../src/state/sql/messages.ts'

const DECISION = { kind: 'decide', ref: { step: 'ask' }, decision: 'approved', by: 'ana' }
const BAD = [
  '{"kind":',
  '{"kind":"from-a-later-version"}',
  'null',
  '{"kind":"decide"}',
  '{"kind":"decide","ref":null,"decision":"approved"}',
  '{"kind":"decide","ref":{"step":"ask"}}',
  '{"kind":"decide","ref":{"step":"ask"},"decision":"banana"}',
]
const rows = [...BAD, JSON.stringify(DECISION), '{"kind":"cancel"}'].map((data, id) => ({ id, run_id: 'r', data }))

test('a message that is damaged, or that a later version wrote, holds up no other', () => {
  expect(sentMessages(rows)).toEqual([
    { id: BAD.length, runId: 'r', message: DECISION },
    { id: BAD.length + 1, runId: 'r', message: { kind: 'cancel' } },
  ])
  expect(messagesIn(rows)).toEqual([DECISION, { kind: 'cancel' }])
  expect(sentDecisions(rows)).toEqual([{ ref: { step: 'ask' }, decision: 'approved', by: 'ana' }])
})
