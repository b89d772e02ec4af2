import { describe, expect, test } from 'vitest'
import type { ActivationMemory } from '../../src/steps/activation-memory.ts'
import { activationMemory } from '../../src/steps/activation-memory.ts'
import { decideActivation } from '../../src/steps/decide-activation.ts'
import { decideMatch } from '../../src/steps/decide-match.ts'
import { decideSegment } from '../../src/steps/decide-segment.ts'

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
      'false and 0 are values',
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
      'little is shown, and memory is of another segment',
      bare,
      { ...memory, segmentId: 't' },
      { action: 'refreshed', changed: ['cpm', 'spi', 'segmentFileName'], update: true },
    ],
  ])('when %s', (_name, segment, remembered, plan) => {
    expect(decideSegment(input, segment, remembered)).toMatchObject(plan)
  })
})

describe('what to do about a match', () => {
  const input = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'], shareSegmentName: false, accessBgIds: false }
  const match = (matchId: string, status = 'FINISHED') => ({ matchId, status })
  const of = (build: string) => ({ matchId: '1', build })
  test.each([
    ['there is none', [], undefined, 'b', { state: 'created' }],
    [
      'those there are failed or were rejected',
      [match('1', 'FAILED'), match('2', 'REJECTED')],
      of('b'),
      'b',
      { state: 'created' },
    ],
    ['it is of this build', [match('1')], of('b'), 'b', { state: 'unchanged', changed: [] }],
    ['it is of another build', [match('1')], of('a'), 'b', { state: 'refreshed', changed: ['segment'] }],
    ['nobody knows the build', [match('1')], { matchId: '1', build: null }, undefined, { state: 'refreshed' }],
    [
      'it is not remembered: the newest',
      [match('1'), match('2')],
      undefined,
      'b',
      { state: 'refreshed', matchId: '2' },
    ],
    [
      'it is remembered, although there is a newer one',
      [match('1'), match('2')],
      of('b'),
      'b',
      { state: 'unchanged', matchId: '1' },
    ],
    ['a job works on it', [match('1', 'UPDATE_RUNNING')], of('b'), 'b', { state: 'busy' }],
  ])('when %s', (_name, same, remembered, build, plan) => {
    expect(decideMatch(input, same, { remembered, build })).toMatchObject(plan)
  })
})

describe('what to do about an activation', () => {
  const target = { segmentId: 's', matchId: '1' }
  const activation = (ActivationId: string) => ({ ActivationId, Status: 'Activated' })
  const memory = (more: object) => ({ ...target, others: [] as string[], ...more }) as unknown as ActivationMemory
  const known = memory({ state: 'known', activationId: '7' })
  test.each([
    ['there is none', [], undefined, { state: 'create', changed: [] }],
    ['there is one of that name, and no memory', [activation('3')], undefined, { state: 'leave', activationId: '3' }],
    [
      'there are several, and no memory: the newest',
      [activation('3'), activation('4')],
      undefined,
      { state: 'leave', activationId: '4' },
    ],
    ['the known one is there', [activation('7'), activation('8')], known, { state: 'leave', activationId: '7' }],
    ['the known one is gone', [], known, { state: 'create', changed: [] }],
    [
      'the known one is of another segment',
      [activation('7')],
      memory({ ...known, segmentId: 't' }),
      { state: 'create', changed: ['segment'], others: ['7'] },
    ],
    [
      'the known one is of another match',
      [activation('7')],
      memory({ ...known, matchId: '2' }),
      { state: 'create', changed: ['match'], others: ['7'] },
    ],
    [
      'it is not known of which match the known one is',
      [activation('7')],
      memory({ ...known, matchId: null }),
      { state: 'leave', activationId: '7' },
    ],
    ['one is in the making', [], memory({ state: 'started', jobId: '5' }), { state: 'wait', jobId: '5' }],
    [
      'one was sent, and shows',
      [activation('9')],
      memory({ state: 'sending', runId: 'r' }),
      { state: 'leave', activationId: '9' },
    ],
    [
      'one was sent, and only one of something else shows',
      [activation('7')],
      memory({ state: 'sending', runId: 'r', others: ['7'] }),
      { state: 'undecided', runId: 'r' },
    ],
    [
      'a person says that there is none, and only one of something else shows',
      [activation('7')],
      memory({ state: 'none', others: ['7'] }),
      { state: 'create', others: ['7'] },
    ],
  ])('when %s', (_name, same, remembered, plan) => {
    expect(decideActivation(target, same, remembered)).toMatchObject(plan)
  })

  test.each([undefined, {}, { segmentId: 's' }, { segmentId: 's', state: 'known' }])(
    '%j in the ledger is no memory',
    (entry) => {
      expect(activationMemory(entry)).toBeUndefined()
    },
  )
})
