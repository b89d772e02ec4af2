import { expect, test } from 'vitest'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { ApiError } from '../../src/adapter/api-error.ts'
import { findSegments, isOfOther } from '../../src/steps/find-segments.ts'
import { fakeClock } from '../adapter/fake-clock.ts'
import { madeThing } from './support/made-thing.ts'
import { memoryMadeThings } from './support/memory-made-things.ts'

/** A service that returns these lists in turn, and can read what it lists. */
function depsOf(items: ApiClient['items'], made = memoryMadeThings()) {
  const segments = { get: async ({ id }: { id: string }) => ({ id, segmentName: 'Autos' }) }
  return {
    api: { items, segments } as unknown as ApiClient,
    signal: new AbortController().signal,
    made,
    clock: fakeClock(),
  }
}

/** The lists of a service that shows no identifiers: filtered by ours, by one that nobody has, and by ours again. */
test.each([
  ['it filters', [['own'], [], ['own']], ['own']],
  ['it filters, and ours is deleted meanwhile', [['own'], [], []], []],
  [
    'it ignores filters',
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [],
  ],
  ['it ignores filters, and one is deleted meanwhile', [['a', 'b'], ['b']], []],
  ['it ignores filters, and the only one is deleted meanwhile', [['a'], [], []], []],
  ['there are none', [[]], []],
])('%s', async (_, lists, expected) => {
  const left = [...lists]
  async function* items() {
    // Every further request gets the first list.
    for (const id of left.shift() ?? lists[0] ?? []) yield { id, segmentName: 'Autos' }
  }
  const deps = depsOf(items as unknown as ApiClient['items'])
  expect((await findSegments('autos', deps)).map(({ id }) => id)).toEqual(expected)
  expect(left).toEqual([])
})

test('a segment that shows no identifier is not ours if it is known to have another one', async () => {
  const lists = [['own', 'other'], [], ['own', 'other']]
  async function* items() {
    for (const id of lists.shift() ?? []) yield { id, segmentName: 'Autos' }
  }
  const made = memoryMadeThings()
  const maker = { job: undefined, about: {}, pipeline: 'p', step: 's', runId: 'r', at: 0, found: false }
  await made.note({ ...maker, kind: 'segment', id: 'other', name: 'bikes' })
  await made.note({ ...maker, kind: 'segment', id: 'own', name: 'autos' })
  const deps = depsOf(items as unknown as ApiClient['items'], made)
  expect((await findSegments('autos', deps)).map(({ id }) => id)).toEqual(['own'])
})

const OURS = { id: '1', segmentName: 'Autos', participantSegmentId: 'autos' }

test.each<[string, object, object | undefined, boolean]>([
  ['is as it is listed', {}, OURS, true],
  ['shows less', {}, { ...OURS, participantSegmentId: null }, true],
  ['is not there for us', {}, undefined, false],
  ['has another name', {}, { ...OURS, segmentName: 'Bikes' }, false],
  ['has another identifier', {}, { ...OURS, participantSegmentId: 'bikes' }, false],
  ['is another one', {}, { ...OURS, id: '2' }, false],
  ['has no name in the list', { segmentName: '' }, OURS, false],
  ['has no name', {}, { ...OURS, segmentName: '' }, false],
])('a listed segment that %s when it is read', async (_, listed, read, isOurs) => {
  async function* items() {
    yield { ...OURS, ...listed }
  }
  const deps = depsOf(items as unknown as ApiClient['items'])
  const request = { operation: 'segments.get', method: 'GET', path: '/api/segments/1' }
  const get = async () => {
    if (read) return read
    throw new ApiError(request, { code: 'not-found', outcome: 'rejected', status: 404 } as never)
  }
  const api = { ...deps.api, segments: { get } } as unknown as ApiClient
  expect((await findSegments('autos', { ...deps, api })).length).toBe(isOurs ? 1 : 0)
})

/**
 * Two segments with the identifier: one that another participant shares and that shows a name, and one that shows no
 * name.
 */
test.each([
  ['a run of this state asked for', false, ['2']],
  // A step that found it knows no more than the service shows.
  ['a step found', true, ['1']],
])('the one that %s is ours, although it shows no name', async (_, found, ours) => {
  async function* items() {
    yield OURS
    yield { id: '2', segmentName: '', participantSegmentId: 'autos' }
  }
  const made = memoryMadeThings()
  await made.note(madeThing({ kind: 'segment', id: '2', name: 'autos', found }))
  const deps = depsOf(items as unknown as ApiClient['items'], made)
  expect((await findSegments('autos', deps)).map(({ id }) => id)).toEqual(ours)
})

test('one that was asked for under another identifier is not ours because it was asked for', async () => {
  async function* items() {
    yield { id: '2', segmentName: '', participantSegmentId: 'autos' }
  }
  const made = memoryMadeThings()
  await made.note(madeThing({ kind: 'segment', id: '2', name: 'bikes' }))
  expect(await findSegments('autos', depsOf(items as unknown as ApiClient['items'], made))).toEqual([])
})

test.each([
  ['shows it', { participantSegmentId: 'autos' }, undefined, false],
  ['shows it in another form, and was asked for with it', { participantSegmentId: 'AUTOS' }, 'autos', false],
  ['shows it in another form, and was asked for otherwise', { participantSegmentId: 'AUTOS' }, 'AUTOS', true],
  ['shows it in another form, and nobody knows more', { participantSegmentId: 'AUTOS' }, undefined, true],
  ['shows another, and was asked for with it', { participantSegmentId: 'bikes' }, 'autos', true],
  ['shows none, and was asked for with it', {}, 'autos', false],
  ['shows none, and was asked for with another', {}, 'bikes', true],
  ['shows none, and nobody knows more', {}, undefined, false],
])('a segment that %s', async (_, shows, asked, isOther) => {
  const made = memoryMadeThings()
  if (asked !== undefined) await made.note(madeThing({ kind: 'segment', id: '1', name: asked }))
  expect(await isOfOther({ id: '1', segmentName: 'Autos', ...shows }, 'autos', { made })).toBe(isOther)
})
