import { expect, test } from 'vitest'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { findSegments } from '../../src/steps/find-segments.ts'

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
  const deps = { api: { items } as unknown as ApiClient, signal: new AbortController().signal }
  expect((await findSegments('autos', deps)).map(({ id }) => id)).toEqual(expected)
  expect(left).toEqual([])
})
