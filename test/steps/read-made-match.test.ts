import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { Match } from '../../src/contract/matches.ts'
import { readByEither, readMadeMatch } from '../../src/steps/read-made-match.ts'
import { stillService } from './support/still-service.ts'

const REQUEST = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE', 'IPTV'] }
const match = (matchId: string, own: Partial<Match> = {}): Match => ({
  ...{ matchId, segmentId: 's', status: 'FINISHED', deliveryScope: ['IPTV', 'CABLE'] },
  ...own,
})
const read = (matches: Readonly<Record<string, Match>>, jobId?: string) =>
  readByEither({ matchId: '7', jobId }, REQUEST, stillService({ matches })).catch((error: Error) => error.message)

const OTHER_SCOPES =
  'match 7 was read, but the service showed a different one: it is match 7 (approver not shown, status FINISHED, scopes IPTV), but one with group 9 in CABLE IPTV was asked for'
const OTHER_SEGMENT =
  'match 7 was read, but the service showed a different one: its segmentId is "t", but "s" was asked for'
const ABSENT = expect.stringMatching(/^GET match 7 was rejected/)
const found = (id: string, shownId: string) => ({ match: match(id), shownId })

test.each<[string, Record<string, Match>, string | undefined, unknown]>([
  ['shows under its id', { 7: match('7'), 5: match('5') }, '5', found('7', '7')],
  ['shows another id', { 7: match('70') }, '5', found('7', '70')],
  ['shows under the number of its job', { 5: match('7') }, '5', found('5', '7')],
  ['does not show, and its job is not known', { 5: match('7') }, undefined, ABSENT],
  ['does not show, and its job has its number', {}, '7', ABSENT],
  ['does not show, and its job has no number', { 'job-5': match('7') }, 'job-5', ABSENT],
  ['does not show, and another has the number of its job', { 5: match('5', { segmentId: 't' }) }, '5', ABSENT],
  ['does not show under either', {}, '5', ABSENT],
  ['is of another segment', { 7: match('7', { segmentId: 't' }) }, '5', OTHER_SEGMENT],
  ['has other scopes', { 7: match('7', { deliveryScope: ['IPTV'] }) }, '5', OTHER_SCOPES],
  [
    'is another, and the number of its job is right',
    { 7: match('7', { segmentId: 't' }), 5: match('7') },
    '5',
    found('5', '7'),
  ],
])('a match that a job made %s', async (_, matches, jobId, seen) => {
  expect(await read(matches, jobId)).toEqual(seen)
})

test('a read that fails does not say that the match has the number of its job', async () => {
  const { api, ...rest } = stillService({ matches: { 5: match('7') } })
  const request = { operation: 'matches.get', method: 'GET', path: '/api/matches/7' }
  const away = new ApiError(request, { code: 'service-error', outcome: 'rejected', status: 503 })
  const get = (input: { matchId: string }) => (input.matchId === '7' ? Promise.reject(away) : api.matches.get(input))
  const service = { ...rest, api: { ...api, matches: { ...api.matches, get } } }
  await expect(readByEither({ matchId: '7', jobId: '5' }, REQUEST, service)).rejects.toBe(away)
})

test('what a job has just made may show a while later', async () => {
  const service = stillService({})
  const get = async () => {
    if (service.clock.steady() < 20_000) throw await service.api.matches.get({ matchId: '7' }).catch((error) => error)
    return match('7')
  }
  const late = { ...service, api: { ...service.api, matches: { get } } as unknown as typeof service.api }
  expect(await readMadeMatch({ matchId: '7', jobId: undefined }, REQUEST, late)).toEqual(found('7', '7'))
})
