import { describe, expect, test } from 'vitest'
import type { ActivationMemory } from '../../src/steps/activation-memory.ts'
import { activationMemory } from '../../src/steps/activation-memory.ts'
import { decideActivation } from '../../src/steps/decide-activation.ts'
import { decideMatch } from '../../src/steps/decide-match.ts'
import { decideSegment, segmentChanges } from '../../src/steps/decide-segment.ts'
import { changesOfSplit } from '../../src/steps/match-split.ts'

describe('what to do about a segment', () => {
  const input = {
    segmentFileName: 'new.csv',
    participantSegmentId: 'a',
    segmentName: 'A',
    uploadSignal: 'EMAIL',
    resultContent: 'BGID',
    cpm: 0,
    spi: false,
  } as const
  const shown = { id: 's', segmentName: 'A', segmentFileName: 'new.csv', cpm: 0, spi: false, category: 'kept' }
  const bare = { id: 's', segmentName: 'A' }
  const memory = { segmentId: 's', segmentFileName: 'new.csv', metadata: { segmentName: 'A', cpm: 0, spi: false } }
  test.each([
    ['there is none', undefined, undefined, { action: 'created', changed: [] }],
    [
      'it is as wanted; fields that are not given are left alone',
      shown,
      undefined,
      { action: 'unchanged', changed: [] },
    ],
    [
      'false and 0 are values; null is no flag',
      { ...shown, cpm: null, spi: true },
      undefined,
      { action: 'updated', changed: ['cpm', 'spi'], update: true },
    ],
    [
      'its file is another',
      { ...shown, segmentFileName: 'old.csv' },
      memory,
      { action: 'refreshed', changed: ['segmentFileName'], update: false },
    ],
    [
      'both',
      { ...shown, segmentName: 'B', segmentFileName: 'old.csv' },
      undefined,
      { action: 'refreshed', changed: ['segmentName', 'segmentFileName'], update: true },
    ],
    ['little is shown, and memory fills in', bare, memory, { action: 'unchanged', changed: [] }],
    [
      'its texts are as it was sent, in the form of the service',
      { ...shown, segmentName: 'a', segmentFileName: 'NEW.csv' },
      { ...memory, forms: { segmentName: 'a', segmentFileName: 'NEW.csv' } },
      { action: 'unchanged', changed: [] },
    ],
    [
      'somebody gave it a name like the one that was sent',
      { ...shown, segmentName: 'a' },
      memory,
      { action: 'updated', changed: ['segmentName'] },
    ],
    [
      'the step wants another name in the form of the service',
      { ...shown, segmentName: 'a' },
      { ...memory, metadata: { ...memory.metadata, segmentName: 'a ' }, forms: { segmentName: 'a' } },
      { action: 'updated', changed: ['segmentName'] },
    ],
    [
      'little is shown, and memory is of another segment',
      bare,
      { ...memory, segmentId: 't' },
      { action: 'refreshed', changed: ['cpm', 'spi', 'segmentFileName'], update: true },
    ],
  ])('when %s', (_name, segment, remembered, plan) => {
    expect(decideSegment(input, segment, remembered)).toMatchObject(plan)
  })
})

describe('what a plan changes', () => {
  const input = {
    segmentFileName: 'new.csv',
    participantSegmentId: 'a',
    segmentName: 'A',
    cpm: 2,
    description: '',
    uploadSignal: 'EMAIL',
    resultContent: 'BGID',
  } as const
  test('has what the service shows, what is remembered where it shows nothing, and else says that nobody knows', () => {
    const changesOf = (segment: { id: string; segmentName: string; cpm?: number }, metadata = {}) => {
      const remembered = { segmentId: 's', segmentFileName: 'old.csv', metadata }
      return segmentChanges(decideSegment(input, segment, remembered), input, segment, remembered)
    }
    const file = { field: 'segmentFileName', from: 'old.csv', to: 'new.csv' }
    expect(changesOf({ id: 's', segmentName: 'B', cpm: 1 })).toEqual([
      { field: 'segmentName', from: 'B', to: 'A' },
      { field: 'cpm', from: 1, to: 2 },
      file,
    ])
    expect(changesOf({ id: 's', segmentName: 'A' }, { cpm: 3 })).toEqual([{ field: 'cpm', from: 3, to: 2 }, file])
    expect(changesOf({ id: 's', segmentName: 'A' })).toEqual([{ field: 'cpm', to: 2 }, file])
  })

  test('names the percentages of a split that are other than before', () => {
    expect(changesOfSplit({ shaveOffPercent: 5, controlHoldoutPercent: 10 }, { controlHoldoutPercent: 20 })).toEqual([
      { field: 'testControl.shaveOffPercent', to: 5 },
      { field: 'testControl.controlHoldoutPercent', from: 20, to: 10 },
    ])
  })
})

describe('what to do about a match', () => {
  const input = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'], shareSegmentName: false, accessBgIds: false }
  const match = { matchId: '1', status: 'FINISHED' }
  const of = (build?: string, matchId = '1') => ({ matchId, build })
  test.each([
    ['there is none', undefined, of(), 'b', { state: 'created' }],
    ['it is of this build', match, of('b'), 'b', { state: 'unchanged', changed: [] }],
    ['it is of another build', match, of('a'), 'b', { state: 'refreshed', changed: ['segment'] }],
    ['nobody knows the build', match, of(), undefined, { state: 'refreshed' }],
    ['the build is that of another match', match, of('b', '2'), 'b', { state: 'refreshed', matchId: '1' }],
    ['it shows its flags as null', { ...match, spi: null as never }, of('b'), 'b', { state: 'unchanged' }],
  ])('when %s', (_name, found, memory, build, plan) => {
    expect(decideMatch(input, found, { memory, build })).toMatchObject(plan)
  })
})

const NOTHING_SAID = { decision: undefined, underWay: undefined, doubt: undefined, hidden: undefined }

describe('what to do about an activation', () => {
  const one = (activationId: string, ...differs: string[]) => ({
    ...{ activationId, differs, isProven: false, maker: undefined, shows: 'status Activated' },
  })
  const proven = (...of: Parameters<typeof one>) => ({ ...one(...of), isProven: true })
  const madeIn = (runId: string, of: ReturnType<typeof one>) => ({
    ...of,
    maker: {
      ...{
        kind: 'activation' as const,
        id: of.activationId,
        job: undefined,
        name: 'X',
        about: {},
        at: 0,
        found: false,
      },
      ...{ pipeline: 'nightly', step: 'activate', runId },
    },
  })
  const target = { segmentId: 's', matchId: '1', sent: {} }
  const sending: ActivationMemory = { ...target, state: 'sending', runId: 'r', before: ['7'] }
  const started: ActivationMemory = { ...target, state: 'started', runId: 'r', jobId: '5' }
  const nothing = { memory: undefined, own: undefined, listed: [], changed: [], ...NOTHING_SAID }
  test.each([
    ['there is none', {}, 'fail', { state: 'create', changed: [] }],
    ['there was one of another match', { changed: ['match'] }, 'fail', { state: 'create', changed: ['match'] }],
    ['one is listed, and none remembered', { listed: [one('3')] }, 'fail', { state: 'leave', activationId: '3' }],
    [
      'several are listed, and nothing proves which is meant: a person decides (decision 153)',
      { listed: [one('3'), madeIn('r9', one('4', 'brand'))] },
      'fail',
      {
        ...{ state: 'undecided', activationId: '3' },
        why: expect.stringMatching(/activation 3 \(status Activated, of an unknown maker\); activation 4 .*run r9/),
      },
    ],
    ['… who says that it is done', { listed: [one('3'), one('4')], decision: 'done' }, 'fail', { activationId: '4' }],
    ['… who wants another', { listed: [one('3'), one('4')], decision: 'again' }, 'fail', { state: 'create' }],
    ['several are proven: the newest', { listed: [proven('3'), proven('4'), one('5')] }, 'fail', { activationId: '4' }],
    [
      'several are proven: one that fits',
      { listed: [proven('3'), proven('4', 'brand')] },
      'fail',
      { state: 'leave', activationId: '3' },
    ],
    [
      'a lone one may be what a job made that does not say',
      { listed: [one('3')], doubt: 'job 5 does not say' },
      'fail',
      { state: 'undecided', why: expect.stringContaining('job 5 does not say') },
    ],
    [
      'a lone one may be what a job makes that has not ended',
      { listed: [one('3')], underWay: { jobId: '5', isWanted: false } },
      'fail',
      { state: 'busy', jobId: '5' },
    ],
    [
      'another step makes the wanted one',
      { underWay: { jobId: '5', isWanted: true } },
      'fail',
      { state: 'wait', jobId: '5' },
    ],
    [
      'one was sent, and another run made the only one that is new',
      { memory: sending, listed: [madeIn('r9', one('8'))] },
      'fail',
      { state: 'ambiguous', why: expect.stringContaining('not there') },
    ],
    ['the remembered one is there', { own: one('7'), listed: [one('8')] }, 'fail', { activationId: '7' }],
    [
      'the remembered one differs (decision 147)',
      { own: one('7', 'brand', 'refreshRate') },
      'fail',
      { state: 'conflict', fields: ['brand', 'refreshRate'], isOwn: true },
    ],
    [
      'it differs and is to be kept',
      { own: one('7', 'brand') },
      'keep',
      { state: 'leave', activationId: '7', changed: ['brand'] },
    ],
    [
      'it differs and is to be replaced',
      { own: one('7', 'brand') },
      'replace',
      { state: 'replace', activationId: '7', changed: ['brand'] },
    ],
    [
      'a listed one differs: it is not the step’s to replace',
      { listed: [one('3', 'brand')] },
      'replace',
      { state: 'conflict', isOwn: false },
    ],
    ['one is in the making', { memory: started }, 'fail', { state: 'wait', jobId: '5' }],
    ['one was sent, and shows', { memory: sending, listed: [one('7'), one('9')] }, 'fail', { activationId: '9' }],
    [
      'one was sent, and only one that was there before shows',
      { memory: sending, listed: [one('7')] },
      'fail',
      { state: 'ambiguous', why: expect.stringContaining('run r') },
    ],
    [
      'one was sent, and two show',
      { memory: sending, listed: [one('8'), one('9')] },
      'fail',
      { state: 'ambiguous', why: expect.stringContaining('2 new ones') },
    ],
    [
      'two show, and a person says that it was made',
      { memory: sending, listed: [one('8'), one('9')], decision: 'done' },
      'fail',
      { state: 'leave', activationId: '9' },
    ],
  ] as const)('when %s', (_name, sight, onChange, plan) => {
    expect(decideActivation({ ...nothing, ...sight }, onChange)).toMatchObject(plan)
  })

  test.each([
    undefined,
    {},
    { segmentId: 's' },
    { segmentId: 's', state: 'known' },
    { segmentId: 's', state: 'started' },
  ])('%j in the step memory is no memory', (entry) => {
    expect(activationMemory(entry)).toBeUndefined()
  })
})
