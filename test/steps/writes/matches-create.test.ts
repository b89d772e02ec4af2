import { describe, expect, test } from 'vitest'
import type { Job } from '../../../src/contract/job.ts'
import type { Match } from '../../../src/contract/matches.ts'
import type { MadeThing } from '../../../src/state/made-things.ts'
import { madeForMatch } from '../../../src/steps/made-for.ts'
import { matchesCreateReconciler } from '../../../src/steps/writes/matches-create.ts'
import { madeThing } from '../support/made-thing.ts'
import { stillService } from '../support/still-service.ts'

const PARTNER = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'], shareSegmentName: false, accessBgIds: false }
const match = (matchId: string, own: Partial<Match> = {}): Match => ({
  ...{
    matchId,
    segmentId: 's',
    status: 'FINISHED',
    deliveryScope: ['CABLE'],
    matchApprover: '5',
    matchJobId: `j${matchId}`,
  },
  ...own,
})

/** A service with these matches, where partner 5 is in no group. */
function serviceOf(listed: readonly Match[], jobs: readonly Job[] = []) {
  const lists = { 'matches.list': listed, 'groups.list': [], 'partners.list': [{ id: 5 }] }
  return stillService({ jobs, listed: lists })
}

const LOST = { request: PARTNER, before: { ids: ['1'] }, confirmed: false, key: 'own' }
const DONE = { state: 'done', answer: { id: 'j2', matchId: '2' } }

test('before it is sent, the matches of its segment and scopes are noted', async () => {
  const listed = [match('1'), match('2', { segmentId: 't' }), match('3', { deliveryScope: ['IPTV'] }), match('4')]
  expect(await matchesCreateReconciler.before(PARTNER, serviceOf(listed))).toEqual({ ids: ['1', '4'] })
  expect(matchesCreateReconciler.lookedFor(PARTNER)).toBe('a new match of segment s with partner 5')
})

test('all of the caller’s matches are asked for: one may show another name of its segment', async () => {
  const service = serviceOf([])
  const asked: object[] = []
  const items = (_: string, given: object) => {
    asked.push(given)
    return []
  }
  await matchesCreateReconciler.before(PARTNER, { ...service, api: { ...service.api, items: items as never } })
  expect([asked, service.reads]).toEqual([[{ requester: true }], []])
})

describe('a match whose answer was lost', () => {
  test.each<[string, readonly Match[], readonly Job[], object]>([
    ['does not show', [match('1')], [], { state: 'notVisible' }],
    ['shows', [match('1'), match('2')], [], DONE],
    ['is not one with another partner', [match('2', { matchApprover: '6' })], [], { state: 'notVisible' }],
    [
      'shows nobody',
      [match('2', { matchApprover: null })],
      [],
      { state: 'ambiguous', why: 'match 2 is new, but it is not known whom it is with (approver not shown)' },
    ],
    [
      'may be one of three',
      [match('1'), match('2'), match('3'), match('4')],
      [],
      { state: 'ambiguous', why: 'there are 3 of them: 2, 3, 4' },
    ],
    [
      'has the number of its job',
      [match('2', { matchJobId: '' })],
      [{ id: '2', status: 'RUNNING' }],
      { state: 'done', answer: { id: '2', matchId: '2' } },
    ],
    ['shows no job, and goes on', [match('2', { matchJobId: '', status: 'DELIVERING' })], [], { state: 'inProgress' }],
    ['shows no job, and is done', [match('2', { matchJobId: '' })], [], { state: 'done', answer: { matchId: '2' } }],
  ])('%s', async (_, listed, jobs, finding) => {
    expect(await matchesCreateReconciler.look(LOST, serviceOf(listed, jobs))).toEqual(finding)
  })

  test.each<[string, Partial<MadeThing>, object]>([
    ['another request made it', { request: 'other', id: '2' }, { state: 'notVisible' }],
    ['this request made it', { request: 'own', id: '2' }, DONE],
    ['another step found it', { id: '2', found: true }, DONE],
    [
      'another step found it, with a group',
      { id: '2', found: true, about: { ...madeForMatch(PARTNER).about, counterpart: 'group 9' } },
      { state: 'notVisible' },
    ],
    ['another request may have made it', { request: 'other' }, { state: 'ambiguous' }],
  ])('%s', async (_, entry, finding) => {
    const service = serviceOf([match('2')])
    await service.made.note(madeThing({ ...madeForMatch(PARTNER), ...entry }))
    expect(await matchesCreateReconciler.look(LOST, service)).toMatchObject(finding)
  })

  test('is, although it shows nobody, what the job of the request made', async () => {
    const service = serviceOf([match('2', { matchApprover: null })])
    expect(await matchesCreateReconciler.look({ ...LOST, jobId: 'j9' }, service)).toEqual(DONE)
  })

  test('is, if a person says so, the newest', async () => {
    const said = async (...listed: readonly Match[]) =>
      matchesCreateReconciler.look({ ...LOST, confirmed: true }, serviceOf(listed))
    expect(await said(match('3', { matchApprover: null }), match('2', { matchApprover: null }))).toEqual(DONE)
    expect(await said(match('1'))).toEqual({ state: 'done', answer: { id: 'j1', matchId: '1' } })
    expect(await said()).toEqual({ state: 'notVisible' })
  })

  test('asks for no partners and groups where its maker is known, or only old ones show', async () => {
    const service = serviceOf([match('1'), match('2')])
    await service.made.note(madeThing({ ...madeForMatch(PARTNER), request: 'own', id: '2' }))
    const lists: string[] = []
    const items = (operation: string, ...rest: never[]) => {
      lists.push(operation)
      return (service.api.items as (...given: unknown[]) => AsyncIterable<never>)(operation, ...rest)
    }
    await matchesCreateReconciler.look(LOST, { ...service, api: { ...service.api, items: items as never } })
    expect(lists).toEqual(['matches.list'])
  })
})
