import { describe, expect, test } from 'vitest'
import type { ApiClient } from '../../../src/adapter/api-client.ts'
import type { Match } from '../../../src/contract/matches.ts'
import { operations } from '../../../src/contract/operations.ts'
import { isSameActivation } from '../../../src/steps/same-activation.ts'
import { counterpartOf, isSameMatch } from '../../../src/steps/same-match.ts'
import { decideActivationsCreate } from '../../../src/steps/writes/activations-create.ts'
import { decideMatchChange } from '../../../src/steps/writes/match-change.ts'
import { decideMatchesCreate } from '../../../src/steps/writes/matches-create.ts'
import { reconcilers } from '../../../src/steps/writes/reconcilers.ts'
import { decideSegmentsCreate } from '../../../src/steps/writes/segments-create.ts'
import { decideSegmentsRefresh } from '../../../src/steps/writes/segments-refresh.ts'
import { fakeClock } from '../../adapter/fake-clock.ts'
import { memoryMadeThings } from '../support/memory-made-things.ts'

test('every write that must not be repeated blindly has a reconciler, and no other operation has', () => {
  const wanted = Object.entries(operations).filter(
    ([, { repeat }]) => repeat !== 'always' && repeat !== 'contentAddressed',
  )
  expect(Object.keys(reconcilers).sort()).toEqual(wanted.map(([id]) => id).sort())
})

const open = { confirmed: false, idsBefore: ['1'] }
const said = { confirmed: true, idsBefore: ['1'] }

describe('a lost segments.create', () => {
  const request = {
    segmentFileName: 'a.csv',
    participantSegmentId: 'a',
    segmentName: 'A',
    uploadSignal: 'EMAIL',
    resultContent: 'BGID',
  } as const
  const segment = (id: string, more = {}) => ({ id, ...request, ...more })
  test.each([
    ['nothing there', [], open, { state: 'notVisible' }],
    ['only what was there before', [segment('1')], open, { state: 'notVisible' }],
    ['a new one', [segment('2')], open, { state: 'done', answer: { segmentId: '2' } }],
    [
      'a new one that shows little',
      [{ id: '2', segmentName: 'A' }],
      open,
      { state: 'done', answer: { segmentId: '2' } },
    ],
    ['a new one of another file', [segment('2', { segmentFileName: 'b.csv' })], open, { state: 'ambiguous' }],
    ['several new ones', [segment('2'), segment('3')], open, { state: 'ambiguous' }],
    [
      'what was there before, and a person who says done',
      [segment('1')],
      said,
      { state: 'done', answer: { segmentId: '1' } },
    ],
  ])('with %s', (_name, found, known, verdict) => {
    expect(decideSegmentsCreate(request, found, known)).toMatchObject(verdict)
  })
})

describe('a lost matches.create', () => {
  const match = (matchId: string, more: object = {}): Match => ({ matchId, status: 'SUBMITTED', ...more })
  const unsure = (matchId: string) => match(matchId, { isSure: false })
  const isJob = async (id: string) => id !== '4'
  test.each([
    ['nothing there', [], open, { state: 'notVisible' }],
    ['only what was there before', [match('1')], open, { state: 'notVisible' }],
    [
      'a new one: it is waited for by its matchJobId (decision 140)',
      [match('1'), match('2', { matchJobId: '7' })],
      open,
      { state: 'done', answer: { id: '7', matchId: '2' } },
    ],
    [
      'a new one without a matchJobId: its id is that of its job, where there is one (decision 71)',
      [match('2', { matchJobId: '' })],
      open,
      { state: 'done', answer: { id: '2', matchId: '2' } },
    ],
    ['a new one of which no job is known', [match('4')], open, { state: 'inProgress' }],
    [
      'a new one of which no job is known, but that is done',
      [match('4', { status: 'FINISHED' })],
      open,
      { state: 'done', answer: { matchId: '4' } },
    ],
    ['several new ones', [match('2'), match('3')], open, { state: 'ambiguous', why: expect.stringContaining('2, 3') }],
    ['several new ones, and a person who says done', [match('2'), match('3')], said, { answer: { id: '3' } }],
    ['what was there before, and a person who says done', [match('1')], said, { answer: { id: '1' } }],
    [
      'a new one that does not show with whom it is (decision 153)',
      [match('1'), unsure('2')],
      open,
      { state: 'ambiguous', why: 'match 2 is new, but it is not known whom it is with (approver not shown)' },
    ],
    ['such a one, and a person who says done', [unsure('2')], said, { state: 'done', answer: { id: '2' } }],
    ['such a one, and its job, which has ended', [unsure('2')], { ...open, isMade: true }, { state: 'done' }],
    ['two of them, and that job', [unsure('2'), match('3')], { ...open, isMade: true }, { state: 'ambiguous' }],
  ])('with %s', async (_name, same: readonly (Match & { isSure?: boolean })[], known, verdict) => {
    const candidates = same.map(({ isSure = true, ...one }) => ({ match: one, isSure }))
    expect(await decideMatchesCreate(candidates, { isMade: false, ...known }, isJob)).toMatchObject(verdict)
  })
})

describe('a lost activations.create', () => {
  const activation = (ActivationId: string) => ({ ActivationId, Status: 'Activated' })
  test.each([
    ['nothing there', [], open, { state: 'notVisible' }],
    ['only what was there before', [activation('1')], open, { state: 'notVisible' }],
    ['a new one', [activation('1'), activation('2')], open, { state: 'done', answer: { activationId: '2' } }],
    ['several new ones', [activation('2'), activation('3')], open, { state: 'ambiguous' }],
    [
      'several new ones, and a person who says done',
      [activation('2'), activation('3')],
      said,
      { answer: { activationId: '3' } },
    ],
  ])('with %s', (_name, same, known, verdict) => {
    expect(decideActivationsCreate(same, known)).toMatchObject(verdict)
  })

  test('with a new one in which the caller has an undocumented role', () => {
    const same = [{ ActivationId: '2', ActivationName: 'X', Status: 'Y', myRole: 'Observer' as 'Approver' }]
    expect(decideActivationsCreate(same, open)).toMatchObject({
      state: 'ambiguous',
      why: expect.stringContaining('Observer'),
    })
    expect(decideActivationsCreate(same, said)).toMatchObject({ state: 'done' })
  })
})

describe('a lost change of a match', () => {
  const match = (matchJobId?: string) => ({ matchId: '7', status: 'X', ...(matchJobId && { matchJobId }) })
  const done = { state: 'done', answer: { id: '9', matchId: '7' } }
  test.each([
    ['the match gone', undefined, true, false, { state: 'notDone' }],
    ['a job at work', match('7'), false, false, { state: 'inProgress' }],
    ['the same job as before', match('7'), true, false, { state: 'notVisible' }],
    ['another job', match('9'), true, false, done],
    ['another job that is at work: it is waited for by its id (decision 140)', match('9'), false, false, done],
    ['no job shown', match(), true, false, { state: 'notVisible' }],
    ['no job shown, and a person who says done', match(), true, true, { state: 'done', answer: { matchId: '7' } }],
  ])('with %s', (_name, seen, atRest, confirmed, verdict) => {
    expect(decideMatchChange(seen, { before: { matchJobId: '7' }, confirmed, atRest })).toEqual(verdict)
  })
})

/** A match that names an ended job, as it was before the request and as it is seen afterwards. */
test.each([
  ['FINISHED', 'FINISHED', 'notVisible'],
  ['FINISHED', 'UPDATE_RUNNING', 'inProgress'],
  ['FINISHED', 'DELIVERING', 'inProgress'],
  ['DELIVERING', 'DELIVERING', 'notVisible'],
  ['DELIVERING', 'FINISHED', 'notVisible'],
])('a match that was %s and is %s after a lost change is %s (decision 143)', async (was, is, state) => {
  const answers = (status: string) => ({
    matches: { get: async () => ({ matchId: '7', matchJobId: '7', status }) },
    jobs: { get: async () => ({ id: '7', status: 'SUCCESS' }) },
  })
  const deps = (status: string) => ({
    api: answers(status) as unknown as ApiClient,
    signal: new AbortController().signal,
    made: memoryMadeThings(),
    clock: fakeClock(),
  })
  const { 'matches.refresh': reconciler } = reconcilers
  const request = { matchId: '7' }
  const before = await reconciler.before(request, deps(was))
  expect(await reconciler.look({ request, before, confirmed: false }, deps(is))).toEqual({ state })
})

describe('a lost segments.refresh', () => {
  const segment = (segmentFileName: string) => ({ id: 's', segmentName: 'S', segmentFileName })
  test.each([
    ['the new file shown', 'new', 'old', 'new', false, 'done'],
    ['the old file shown', 'new', 'old', 'old', false, 'notVisible'],
    ['the old file shown, although a person says done', 'new', 'old', 'old', true, 'notVisible'],
    ['the same file asked for', 'old', 'old', 'old', false, 'notDone'],
    ['no file asked for', undefined, 'old', 'old', false, 'notDone'],
    ['no file asked for, and a person who says done', undefined, 'old', 'old', true, 'done'],
    ['a service that shows no file', 'new', null, 'x', false, 'notDone'],
  ])('with %s', (_name, wanted, before, shown, confirmed, state) => {
    const request = { id: 's', ...(wanted && { segmentFileName: wanted }) }
    expect(
      decideSegmentsRefresh(request, segment(shown), { before: { segmentFileName: before }, confirmed }).state,
    ).toBe(state)
  })
})

describe('the same match', () => {
  const request = { segmentId: 's', groupId: '9007199254740993', deliveryScopes: ['A', 'B'] }
  const match = {
    matchId: '1',
    status: 'FINISHED',
    segmentId: 's',
    matchApprover: '9007199254740993',
    deliveryScope: ['B', 'A'],
  }
  test.each([
    ['the order of the scopes does not count', {}, true],
    ['another segment', { segmentId: 't' }, false],
    ['the approver of a group match says nothing: a member (decision 137)', { matchApprover: '2001' }, true],
    ['null', { matchApprover: null }, true],
    ['fewer scopes', { deliveryScope: ['A'] }, false],
    ['scopes that are not shown (decision 62)', { deliveryScope: [] }, true],
  ])('%s', (_name, more, same) => {
    expect(isSameMatch({ ...match, ...more }, request)).toBe(same)
  })

  test('a partner is told by its id; with a group it is a group match (decision 60)', () => {
    const { groupId, ...rest } = request
    const ofPartner = { ...match, matchApprover: '2001' }
    expect(isSameMatch(ofPartner, { ...rest, partnerId: 2001 })).toBe(true)
    expect(isSameMatch(ofPartner, { ...rest, partnerId: 2002 })).toBe(false)
    expect(isSameMatch({ ...match, matchApprover: null }, { ...rest, partnerId: 2001 })).toBe(true)
    expect(isSameMatch(ofPartner, { ...rest, partnerId: 2001, groupId })).toBe(true)
    expect([counterpartOf({ partnerId: 2001, groupId }), counterpartOf({ partnerId: 2001 })]).toEqual([
      ...[`group ${groupId}`, 'partner 2001'],
    ])
  })
})

describe('the same activation', () => {
  const request = {
    activationName: 'Q4',
    segmentId: 's',
    matchJobId: '1',
    refreshRate: 30,
    actionType: 'REQUEST',
    agency: 'X',
  } as const
  const activation = {
    ActivationId: '1',
    ActivationName: 'Q4',
    Status: 'Activated',
    myRole: 'Requester',
    campaign: null,
    agency: 'X',
  }
  test.each([
    ['all that is shown is equal', {}, true],
    ['another name', { ActivationName: 'Q3' }, false],
    ['texts that are not given come back as "" (decision 138)', { campaign: '', brand: '' }, true],
    ['another agency', { agency: 'Y' }, false],
    ['a campaign that was not asked for', { campaign: 'C' }, false],
    ['asked for by somebody else (decision 104)', { myRole: 'Approver' }, false],
  ])('%s', (_name, more, same) => {
    expect(isSameActivation({ ...activation, ...more }, request)).toBe(same)
  })
})
