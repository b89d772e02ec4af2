import { expect, test } from 'vitest'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { findSegments } from '../../src/steps/find-segments.ts'
import { memoryMadeThings } from './support/memory-made-things.ts'

/** What a service that shows no identifiers lists: with ours as the filter, with one that nobody has, and with ours again. */
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
    for (const id of left.shift() ?? []) yield { id, segmentName: 'Autos' }
  }
  const deps = {
    api: { items } as unknown as ApiClient,
    signal: new AbortController().signal,
    made: memoryMadeThings(),
  }
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
  const deps = { api: { items } as unknown as ApiClient, signal: new AbortController().signal, made }
  expect((await findSegments('autos', deps)).map(({ id }) => id)).toEqual(['own'])
})
