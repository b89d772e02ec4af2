import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { Match } from '../../src/contract/matches.ts'
import { findOwnMatch } from '../../src/steps/find-own-match.ts'
import { madeForMatch } from '../../src/steps/made-for.ts'
import { madeThing } from './support/made-thing.ts'
import { stillService } from './support/still-service.ts'

const INPUT = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'] }
const NOTHING = {
  matchId: undefined,
  shownId: undefined,
  jobId: undefined,
  build: undefined,
  split: undefined,
  approver: undefined,
}
const match = (matchId: string, own: Partial<Match> = {}): Match => ({
  ...{ matchId, segmentId: 's', status: 'FINISHED', deliveryScope: ['CABLE'], matchJobId: `j${matchId}` },
  ...own,
})
const job = (id: string, own: object = {}) => ({ id, status: 'SUCCESS' as const, ...own })
const found = (matchId: string, shownId = matchId) => ({ state: 'found', match: match(matchId), shownId })

const find = (
  memory: Partial<typeof NOTHING | { matchId: string; shownId: string; jobId: string; approver: string }>,
  service: ReturnType<typeof stillService>,
  decision?: 'done' | 'again',
) => findOwnMatch(INPUT, { ...NOTHING, ...memory }, decision, service)

test('the match that an earlier job names is taken, although no list shows it', async () => {
  const service = stillService({ jobs: [job('5', { matchId: '7' })], matches: { 7: match('7') } })
  expect(await find({ jobId: '5' }, service)).toEqual(found('7'))
})

test('the match with the number of its job is taken, although no list shows it', async () => {
  const service = stillService({ jobs: [job('5')], matches: { 5: { ...match('5'), matchId: '7' } } })
  expect(await find({ jobId: '5' }, service)).toEqual({ ...found('5', '7'), match: match('5', { matchJobId: 'j5' }) })
})

test('an unrelated match with the number of the job is not taken', async () => {
  const service = stillService({ jobs: [job('5')], matches: { 5: match('5') } })
  const about = { ...madeForMatch(INPUT).about, counterpart: 'group 8' }
  await service.made.note(madeThing({ kind: 'match', name: 's', id: '5', job: 'theirs', about }))
  expect(await find({ jobId: '5' }, service)).toEqual({ state: 'none' })
})

test.each([
  ['of another segment', { segmentId: 't' }],
  ['with other scopes', { deliveryScope: ['IPTV'] }],
])('a match with the number of the job that is %s is not taken', async (_, own) => {
  const service = stillService({ jobs: [job('5')], matches: { 5: match('5', own) } })
  expect(await find({ jobId: '5' }, service)).toEqual({ state: 'none' })
})

test.each(['FAILED', 'CANCELLED', 'REJECTED'] as const)('a job that ended as %s made nothing', async (status) => {
  const jobs = [{ id: '5', status, matchId: '7' }]
  const service = stillService({ jobs, matches: { 5: match('5'), 7: match('7') } })
  expect(await find({ jobId: '5' }, service)).toEqual({ state: 'none' })
  expect(service.reads).toEqual(['job 5', 'job 5'])
})

test.each([
  [
    'nobody has decided',
    undefined,
    { state: 'ambiguous', why: 'job 5 made match 7, but the service does not show it' },
  ],
  ['a person wants another', 'again', { state: 'none' }],
] as const)('the named match does not show, and %s', async (_, decision, expected) => {
  const service = stillService({ jobs: [job('5', { matchId: '7' })] })
  expect(await find({ jobId: '5' }, service, decision)).toEqual(expected)
})

test('a read that fails does not say that the named match does not show', async () => {
  const { api, ...rest } = stillService({ jobs: [job('5', { matchId: '7' })] })
  const request = { operation: 'matches.get', method: 'GET', path: '/api/matches/7' }
  const away = new ApiError(request, { code: 'service-error', outcome: 'rejected', status: 503 })
  const service = { ...rest, api: { ...api, matches: { ...api.matches, get: () => Promise.reject(away) } } }
  for (const decision of [undefined, 'done', 'again'] as const)
    await expect(find({ jobId: '5' }, service, decision)).rejects.toBe(away)
})

test('only a match that is not there is not there: any other answer to the read by its job’s number is told', async () => {
  const { api, ...rest } = stillService({ jobs: [job('5', { matchId: '7' })] })
  const request = { operation: 'matches.get', method: 'GET', path: '/api/matches/5' }
  const away = new ApiError(request, { code: 'service-error', outcome: 'rejected', status: 503 })
  const get = (input: { matchId: string }) => (input.matchId === '5' ? Promise.reject(away) : api.matches.get(input))
  const service = { ...rest, api: { ...api, matches: { ...api.matches, get } } }
  await expect(find({ jobId: '5' }, service)).rejects.toBe(away)
})

test('while the remembered job goes on, nothing else is read', async () => {
  const service = stillService({ jobs: [{ id: '5', status: 'RUNNING' }], matches: { 7: match('7') } })
  expect(await find({ jobId: '5', matchId: '7' }, service)).toEqual({ state: 'busy', jobId: '5' })
  expect(service.reads).toEqual(['job 5'])
})

test.each([
  ['by the id of the path', { matchId: '7', shownId: '70' }, { 7: match('70') }, found('7', '70')],
  ['by the id that it shows', { matchId: '7', shownId: '70' }, { 70: match('70') }, found('70')],
  [
    'not under the number that now belongs to another match',
    { matchId: '7', shownId: '70' },
    { 7: match('7'), 70: match('70') },
    found('70'),
  ],
  ['although it shows no segment', { matchId: '7' }, { 7: match('7', { segmentId: '' }) }, found('7')],
  ['not if it is of another segment', { matchId: '7' }, { 7: match('7', { segmentId: 't' }) }, { state: 'none' }],
  ['but not used if it failed', { matchId: '7' }, { 7: match('7', { status: 'FAILED' }) }, { state: 'none' }],
  ['but not used if it was rejected', { matchId: '7' }, { 7: match('7', { status: 'REJECTED' }) }, { state: 'none' }],
] as const)('a remembered match is found %s', async (_, memory, matches, expected) => {
  const { match: wanted, ...rest } = { match: undefined, ...expected }
  const seen = await find(memory, stillService({ matches }))
  expect(seen).toMatchObject(wanted ? { ...rest, match: { matchId: wanted.matchId } } : rest)
})

test('a remembered match is not searched by its job, too: the job may have the number of another match', async () => {
  const service = stillService({ jobs: [job('5', { matchId: '8' })], matches: { 8: match('8') } })
  expect(await find({ matchId: '7', jobId: '5' }, service)).toEqual({ state: 'none' })
})

/** The matches in the list, who made each of them, and the partner that the service shows. */
const listing = (...matches: readonly Match[]) =>
  stillService({
    matches: Object.fromEntries(matches.map((one) => [one.matchId, one])),
    listed: { 'matches.list': matches },
  })

test('of the listed matches, only the one that is known to be made for this is taken', async () => {
  const service = listing(match('7'), match('8'), match('9'))
  const made = madeForMatch(INPUT)
  await service.made.note(madeThing({ ...made, id: '8' }))
  await service.made.note(madeThing({ ...made, id: '7', about: { ...made.about, counterpart: 'group 8' } }))
  expect(await find({}, service)).toEqual(found('8'))
})

test.each([
  ['nobody has decided', undefined, { state: 'ambiguous', matchId: '8' }],
  ['a person takes the newest', 'done', found('8')],
  ['a person wants another', 'again', { state: 'none' }],
] as const)('of the listed matches nothing is known, and %s', async (_, decision, expected) => {
  const listed = listing(match('6', { status: 'FAILED' }), match('7'), match('8'), match('9', { segmentId: 't' }))
  expect(await find({}, listed, decision)).toMatchObject(expected)
})

test.each([
  ['one that is wanted, and no list shows any', [], 'group 9', 'busy'],
  ['one that is not wanted, and no list shows any', [], 'group 8', 'none'],
  ['one that may be the listed one', [match('7')], 'group 8', 'busy'],
] as const)('a job of another step makes %s', async (_, listed, counterpart, state) => {
  const { api } = stillService({ jobs: [{ id: '3', status: 'RUNNING' }], listed: { 'matches.list': listed } })
  const service = { ...listing(...listed), api }
  const made = madeForMatch(INPUT)
  await service.made.note(madeThing({ ...made, job: '3', about: { ...made.about, counterpart } }))
  expect(await find({}, service)).toEqual(state === 'busy' ? { state, jobId: '3' } : { state })
})

/*
 * Number 7 belonged to this step. The service was restored, or counts from the start again, and may have given the
 * number to another match.
 */

const PARTNER = { segmentId: 's', partnerId: 2001, deliveryScopes: ['CABLE'] }
const SHOWS = 'match 7 is remembered as the one with'

test.each<[string, { approver?: string; group?: true; shows?: Partial<Match> }, string | undefined]>([
  ['shows the partner', { shows: { matchApprover: '2001' } }, undefined],
  ['shows no approver', {}, undefined],
  ['shows the requester', { shows: { matchApprover: '1001', matchRequestor: 1001 } }, undefined],
  [
    'shows another partner',
    { shows: { matchApprover: '2002' } },
    `${SHOWS} partner 2001, but shows approver 2002, not 2001`,
  ],
  ['shows what it always showed', { approver: '77', shows: { matchApprover: '77' } }, undefined],
  [
    'shows something else now',
    { approver: '77', shows: { matchApprover: '2001' } },
    `${SHOWS} partner 2001, but shows approver 2001, not 77`,
  ],
  ['of a group shows an approver for the first time', { group: true, shows: { matchApprover: '5' } }, undefined],
  ['of a group shows the same member', { group: true, approver: '5', shows: { matchApprover: '5' } }, undefined],
  ['of a group shows nobody any more', { group: true, approver: '5' }, undefined],
  [
    'of a group shows somebody else',
    { group: true, approver: '5', shows: { matchApprover: '2002' } },
    `${SHOWS} group 9, but shows approver 2002, not 5`,
  ],
])('a remembered match that %s', async (_, { approver, group, shows }, why) => {
  const service = stillService({ matches: { 7: match('7', shows) } })
  const own = (decision?: 'done' | 'again') =>
    findOwnMatch(group ? INPUT : PARTNER, { ...NOTHING, matchId: '7', approver }, decision, service)
  expect(await own()).toMatchObject(
    why === undefined ? { state: 'found', shownId: '7' } : { state: 'ambiguous', why, matchId: '7' },
  )
  expect(await own('done')).toMatchObject({ state: 'found', shownId: '7' })
  if (why !== undefined) expect(await own('again')).toEqual({ state: 'none' })
})

test('a match that an earlier job names, and that shows another partner, is not taken', async () => {
  const shown = match('7', { matchApprover: '2002' })
  const service = stillService({ jobs: [job('5', { matchId: '7' })], matches: { 7: shown } })
  expect(await findOwnMatch(PARTNER, { ...NOTHING, jobId: '5' }, undefined, service)).toMatchObject({
    state: 'ambiguous',
  })
})

test('a remembered match whose number this state has since made for another is never taken', async () => {
  const service = stillService({ matches: { 7: match('7') } })
  const about = { ...madeForMatch(INPUT).about, counterpart: 'group 8' }
  await service.made.note(madeThing({ kind: 'match', name: 's', id: '7', job: 'theirs', about }))
  const question = { state: 'ambiguous', why: `${SHOWS} group 9, but was made for group 8` }
  expect(await find({ matchId: '7' }, service)).toEqual(question)
  expect(await find({ matchId: '7' }, service, 'done')).toEqual(question)
  expect(await find({ matchId: '7' }, service, 'again')).toEqual({ state: 'none' })
})

test.each([
  ['made', { id: '7' }, undefined, found('7')],
  ['made, as its job says,', { job: '5' }, undefined, found('7')],
  ['made, and it failed', { id: '8' }, undefined, { state: 'none' }],
  [
    'perhaps made',
    { request: 'theirs' },
    undefined,
    { state: 'ambiguous', why: expect.stringContaining('asked for one') },
  ],
  ['perhaps made, and a person wants another', { request: 'theirs' }, 'again', { state: 'none' }],
] as const)('another step %s the wanted match, and no list shows it', async (_, own, decision, expected) => {
  const matches = { 7: match('7'), 8: match('8', { status: 'FAILED' }) }
  const service = stillService({ jobs: [job('5', { matchId: '7' })], matches })
  await service.made.note(madeThing({ ...madeForMatch(INPUT), ...own }))
  expect(await find({}, service, decision)).toEqual(expected)
})

test('a match with another that no list shows is none of its business', async () => {
  const service = stillService({ matches: { 7: match('7') } })
  const about = { ...madeForMatch(INPUT).about, counterpart: 'group 8' }
  for (const own of [{ id: '7' }, { request: 'theirs' }])
    await service.made.note(madeThing({ kind: 'match', name: 's', about, ...own }))
  expect(await find({}, service)).toEqual({ state: 'none' })
})

test('a match that is known by its id is not confused with one that is listed and shows nobody', async () => {
  const service = stillService({ matches: { 7: match('7') }, listed: { 'matches.list': [match('6')] } })
  await service.made.note(madeThing({ ...madeForMatch(INPUT), id: '7' }))
  expect(await find({}, service)).toEqual(found('7'))
})

const WITH_PARTNER = match('7', { matchApprover: '2001' })

test.each<[string, object, object]>([
  ['nothing more is known', {}, { state: 'found', shownId: '7' }],
  ['a group match may have been made', { counterpart: 'group 9' }, { state: 'ambiguous', matchId: '7' }],
  ['one with another partner may have been made', { counterpart: 'partner 2002' }, { state: 'found', shownId: '7' }],
  ['one of another segment may have been made', { counterpart: 'group 9', segmentId: 't' }, { state: 'found' }],
])('a listed match with the partner, who is in no group, is taken or asked about: %s', async (_, about, expected) => {
  const listed = { 'matches.list': [WITH_PARTNER], 'groups.list': [], 'partners.list': [{ id: 2001 }] }
  const service = stillService({ matches: { 7: WITH_PARTNER }, listed })
  if (Object.keys(about).length > 0) {
    const other = { ...madeForMatch(PARTNER).about, ...about }
    await service.made.note(madeThing({ kind: 'match', name: 's', request: 'theirs', about: other }))
  }
  expect(await findOwnMatch(PARTNER, NOTHING, undefined, service)).toMatchObject(expected)
})

test('only the caller’s own requests are searched', async () => {
  const service = stillService({})
  const asked: unknown[][] = []
  const items = (...given: unknown[]) => {
    asked.push(given.slice(0, 2))
    return []
  }
  await find({}, { ...service, api: { ...service.api, items: items as never } })
  expect(asked).toEqual([['matches.list', { requester: true }]])
})

test.each([
  ['one', ['7'], /^it is not known whom this match of segment s is with: match 7 \(/],
  [
    'two',
    ['7', '8'],
    /^each of these matches of segment s may be the one with group 9, and none is remembered: match 7 .*; match 8/,
  ],
])('a person is told of %s that may be meant', async (_, ids, why) => {
  expect(await find({}, listing(...ids.map((id) => match(id))))).toMatchObject({
    ...{ state: 'ambiguous', matchId: ids.at(-1), why: expect.stringMatching(why) },
  })
})

test('of two that are known to be made for this, a person takes one', async () => {
  const service = listing(match('7'), match('8'), match('9'))
  for (const id of ['7', '8']) await service.made.note(madeThing({ ...madeForMatch(INPUT), id }))
  expect(await find({}, service)).toMatchObject({ state: 'ambiguous', matchId: '8' })
  expect(await find({}, service, 'done')).toEqual(found('8'))
  expect(await find({}, service, 'again')).toEqual({ state: 'none' })
})
