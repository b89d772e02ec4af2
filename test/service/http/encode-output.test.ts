import { expect, test } from 'vitest'
import { Job } from '../../../src/contract/job.ts'
import { matchOperations } from '../../../src/contract/matches.ts'
import { encoderOf } from '../../../src/service/http/answer-operation.ts'

test.each([
  ['no output', null, null, ''],
  [
    'an output without 64-bit ids',
    Job,
    { id: '9007199254740993', status: 'SUCCESS', matchId: undefined },
    '{"id":"9007199254740993","status":"SUCCESS"}',
  ],
  [
    'an output that is one',
    matchOperations['matches.get'].output,
    { matchId: '9007199254740993' },
    '{"matchId":9007199254740993}',
  ],
  [
    'a list of them',
    matchOperations['matches.list'].output,
    { matches: [{ matchId: '9007199254740993' }] },
    '{"matches":[{"matchId":9007199254740993}]}',
  ],
])('%s is written as the contract has it', (_what, schema, output, text) => {
  expect(encoderOf(schema)(output)).toBe(text)
})
