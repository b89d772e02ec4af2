import { describe, expect, test } from 'vitest'
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
