import { expect, test } from 'vitest'
import type { Match } from '../../src/contract/matches.ts'
import { describeMatch } from '../../src/steps/read-match.ts'

test.each<[string, Partial<Match>, string]>([
  [
    'all',
    { matchApprover: '5', deliveryScope: ['CABLE', 'IPTV'] },
    'match 7 (approver 5, status FINISHED, scopes CABLE IPTV)',
  ],
  ['nothing', {}, 'match 7 (approver not shown, status FINISHED, scopes not shown)'],
  [
    'empty values',
    { matchApprover: '', deliveryScope: [] },
    'match 7 (approver not shown, status FINISHED, scopes not shown)',
  ],
  ['another id', { matchId: '5' }, 'match 7 (read as 5, approver not shown, status FINISHED, scopes not shown)'],
])('people are told what a match shows, and what it does not: %s', (_, shows, told) => {
  expect(describeMatch({ match: { matchId: '7', status: 'FINISHED', ...shows }, shownId: '7' })).toBe(told)
})
