import { expect, test } from 'vitest'
import { sentDecisions, sentMessages } from '../../../src/state/rows/sent-message.ts'

const DECISION = { kind: 'decide', ref: { step: 'ask' }, decision: 'approved', by: 'ana' }
const rows = ['{"kind":', '{"kind":"from-a-later-version"}', 'null', JSON.stringify(DECISION), '{"kind":"cancel"}'].map(
  (data, at) => ({ id: at, run_id: 'r', data }),
)

test('a message that is damaged, or that a later version wrote, holds up no other', () => {
  expect(sentMessages(rows)).toEqual([
    { id: 3, runId: 'r', message: DECISION },
    { id: 4, runId: 'r', message: { kind: 'cancel' } },
  ])
  expect(sentDecisions(rows)).toEqual([{ ref: { step: 'ask' }, decision: 'approved', by: 'ana' }])
})
