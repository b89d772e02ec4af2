import { expect, test } from 'vitest'
import { type Directory, fitOfActivation, fitOfMatch, mayBeMadeFor } from '../../src/steps/ownership.ts'

const partner = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
const group = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'] }
const groups = (...groupMembers: number[]) => [{ groupId: '9', groupMembers, features: ['AGGREGATED_MATCH'] }]
const MEMBERS = { groupId: '9', groupMembers: [5] }
const maker = (about: Record<string, string | string[]>) => ({
  ...{ kind: 'match' as const, id: '1', job: 'j', name: 's', about, pipeline: 'p', step: 's', runId: 'r' },
  ...{ at: 0, found: false },
})

test.each([
  ['nothing is shown', null, partner, groups(), ['5'], undefined, 'possible'],
  ['the requester is shown', '1', group, groups(1), [], undefined, 'possible'],
  ['the partner, who is in no group', '5', partner, groups(6), ['5'], undefined, 'sure'],
  ['the partner, who is in a group', '5', partner, groups(5), ['5'], undefined, 'possible'],
  ['the partner, and groups cannot be read', '5', partner, undefined, ['5'], undefined, 'possible'],
  ['another partner', '6', partner, groups(6), ['5'], undefined, 'none'],
  [
    'the partner, who is in a group of another kind',
    '5',
    partner,
    [{ ...MEMBERS, features: ['X'] }],
    ['5'],
    undefined,
    'sure',
  ],
  [
    'the partner, who is in a group that shows no kind',
    '5',
    partner,
    [{ ...MEMBERS, features: [] }],
    ['5'],
    undefined,
    'possible',
  ],
  ['the partner, and a group shows no members', '5', partner, [{ groupId: '9' }], ['5'], undefined, 'possible'],
  ['no member, of a group that shows none', '6', group, [{ groupId: '9' }], ['5'], undefined, 'possible'],
  [
    'one who is no member, of a group that is not seen',
    '6',
    group,
    [{ ...MEMBERS, groupId: '8' }],
    ['5'],
    undefined,
    'possible',
  ],
  ['made, and nobody knows for whom', '5', partner, groups(6), ['5'], { segmentId: 's' }, 'sure'],
  ['the group', '9', group, groups(5), ['5'], undefined, 'sure'],
  ['the group, and a partner has its number', '9', group, groups(5), ['9'], undefined, 'possible'],
  ['the group, and partners cannot be read', '9', group, groups(5), undefined, undefined, 'possible'],
  ['a member', '5', group, groups(5), ['5'], undefined, 'possible'],
  ['one who is no member', '6', group, groups(5), ['5'], undefined, 'none'],
  ['made for it', null, group, groups(), [], { counterpart: 'group 9' }, 'sure'],
  ['made for another', '9', group, groups(), [], { counterpart: 'partner 5' }, 'none'],
  ['made for other scopes', null, group, groups(), [], { counterpart: 'group 9', deliveryScopes: ['X'] }, 'none'],
] as const)('a match: %s', (_, matchApprover, wanted, known, partnerIds, about, fit) => {
  const directory = { groups: known as Directory['groups'], partnerIds }
  const made = about && maker(JSON.parse(JSON.stringify(about)))
  expect(
    fitOfMatch(
      { matchApprover, matchRequestor: 1 },
      { ...wanted, deliveryScopes: ['CABLE'] },
      { maker: made, directory },
    ),
  ).toBe(fit)
})

test.each([
  ['the wanted partner', '5', partner, null, 'none'],
  ['another partner', '6', partner, '5', 'possible'],
  ['a partner, for a group', '6', group, '9', 'possible'],
  ['nobody known', '1', partner, '5', 'sure'],
] as const)('a match that was asked for by %s', (_, matchRequestor, wanted, matchApprover, fit) => {
  const match = { matchApprover, matchRequestor: Number(matchRequestor) }
  const directory = { groups: groups(), partnerIds: ['5', '6'] }
  expect(fitOfMatch(match, { ...wanted, deliveryScopes: ['CABLE'] }, { maker: undefined, directory })).toBe(fit)
})

test.each([
  ['nobody knows', undefined, 'possible'],
  ['another segment', { segmentId: 't' }, 'none'],
  ['the same match', { segmentId: 's', matchId: 'm' }, 'sure'],
  ['another match', { segmentId: 's', matchId: 'n' }, 'none'],
  ['the same job', { segmentId: 's', matchJobId: 'j' }, 'sure'],
  ['another job, whose match is not known', { segmentId: 's', matchJobId: 'k' }, 'possible'],
])('an activation: %s', (_, made, fit) => {
  expect(fitOfActivation(made, { segmentId: 's', matchId: 'm', matchJobId: 'j' })).toBe(fit)
})

test.each<[string, object, Record<string, string | string[]>, boolean]>([
  ['shows all that was asked for', {}, { deliveryScopes: ['CABLE'] }, true],
  ['shows other scopes', {}, { deliveryScopes: ['IPTV'] }, false],
  ['is of an entry without scopes', {}, {}, true],
  ['shows no scopes, nor does the entry', { deliveryScope: undefined }, {}, true],
  ['is of another segment', { segmentId: 't' }, {}, false],
  ['is with the partner', { matchApprover: '5' }, { counterpart: 'partner 5' }, true],
  ['is with another partner', { matchApprover: '6' }, { counterpart: 'partner 5' }, false],
  ['is of a group, and shows a member', { matchApprover: '6' }, { counterpart: 'group 5' }, true],
])('a match that %s may be what was made: %s', (_, shows, about, mayBe) => {
  const match = { matchId: '1', status: 'FINISHED', segmentId: 's', deliveryScope: ['CABLE'], ...shows }
  expect(mayBeMadeFor(match, maker({ segmentId: 's', counterpart: 'group 9', ...about }))).toBe(mayBe)
})
