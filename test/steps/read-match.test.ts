import { expect, test } from 'vitest'
import type { Match } from '../../src/contract/matches.ts'
import { readListed, readMatch } from '../../src/steps/read-match.ts'
import { stillService } from './support/still-service.ts'

const match = (matchId: string, own: Partial<Match> = {}): Match => ({ matchId, status: 'FINISHED', ...own })

test('a match is read under the id that is asked for, and shows its own', async () => {
  const service = stillService({ matches: { 7: match('70') } })
  expect(await readMatch('7', service)).toEqual({ match: match('7'), shownId: '70' })
  expect(await readMatch('8', service)).toBeUndefined()
})

test('no match is read by what is no number', async () => {
  const service = stillService({ matches: { 'job-5': match('7') } })
  expect(await readMatch('job-5', service)).toBeUndefined()
  expect(service.reads).toEqual([])
})

const listed = match('7', { matchJobId: '5' })

test.each<[string, Match, Record<string, Match>, string, readonly string[]]>([
  ['by the id that it shows', listed, { 7: match('7') }, '7', ['match 7']],
  ['by the id of its job', listed, { 5: match('7') }, '5', ['match 7', 'match 5']],
  [
    'by that, where another has the id that it shows',
    listed,
    { 7: match('6'), 5: match('7') },
    '5',
    ['match 7', 'match 5'],
  ],
  ['not by that, where it is of another', listed, { 5: match('5') }, '7', ['match 7', 'match 5']],
  ['by no other id if it shows none', match('7'), {}, '7', ['match 7']],
])('a listed match is taken %s', async (_, shows, matches, id, reads) => {
  const service = stillService({ matches })
  expect(await readListed(shows, service)).toMatchObject({ match: { matchId: id }, shownId: '7' })
  expect(service.reads).toEqual(reads)
})
