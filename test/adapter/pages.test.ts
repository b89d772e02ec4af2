import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { listItems } from '../../src/adapter/list-items.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { fakeClock } from './fake-clock.ts'
import { type Reply, type Seen, scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const row = (id: number) => ({ id: `s${id}`, segmentName: `S${id}` })
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => row(from + index))
const page = (segments: object[], hasMore: boolean): Reply => ({ json: { segments, pageSize: 100, hasMore } })
const pageNumber = ({ url }: Seen) => Number(new URL(url, 'http://x').searchParams.get('page'))
/** The requested page of a list. */
const pageOf = (list: object[], seen: Seen): Reply => {
  const pageSize = Number(new URL(seen.url, 'http://x').searchParams.get('pageSize'))
  const to = (pageNumber(seen) + 1) * pageSize
  const segments = list.slice(to - pageSize, to)
  return { json: { segments, page: pageNumber(seen), pageSize, hasMore: to < list.length } }
}

/** The ids of all segments in the script. */
async function list(script: Parameters<typeof scriptedServer>[0]) {
  await using server = await scriptedServer(script)
  await using client = testClient(server.url)
  const ids: string[] = []
  let error: unknown
  try {
    for await (const segment of client.api.items('segments.list', { uploadSignal: 'IP' })) ids.push(segment.id)
  } catch (reason) {
    error = reason
  }
  return { ids, error, urls: server.seen.map((seen) => seen.url) }
}

const urlOf = ([pageNumber, size]: readonly [number, number]) =>
  `/p/1001/api/segments?uploadSignal=IP&page=${pageNumber}&pageSize=${size}`

/** Two pages, and both again with another size. */
const TWICE_TWO_PAGES = (
  [
    [0, 100],
    [1, 100],
    [0, 99],
    [1, 99],
  ] as const
).map(urlOf)

test('pages are read with 100 items each until there are no more, and then once more with 99 (decisions 130, 152)', async () => {
  const { ids, urls } = await list((seen) => pageOf(rows(0, 150), seen))
  expect(ids).toEqual(rows(0, 150).map(({ id }) => id))
  expect(urls).toEqual(TWICE_TWO_PAGES)
})

test('one page costs one request', async () => {
  const { ids, urls } = await list((seen) => pageOf(rows(0, 99), seen))
  expect(ids).toHaveLength(99)
  expect(urls).toEqual([urlOf([0, 100])])
})

test('a full page is not believed to be the last one (decision 132)', async () => {
  const { ids, urls } = await list((seen) => pageOf(rows(0, 100), seen))
  expect(ids).toHaveLength(100)
  expect(urls).toEqual(TWICE_TWO_PAGES)
})

test.each([
  [
    'hasMore as a string',
    (hasMore: boolean, page: number) => ({ page: `${page}`, pageSize: '100', hasMore: String(hasMore) }),
  ],
  ['null for hasMore', (_: boolean, page: number) => ({ page, pageSize: 100, hasMore: null })],
  ['no page fields', () => ({})],
])('a service that writes %s is read to its last page (decision 133)', async (_name, fields) => {
  const { ids, error } = await list((seen) => {
    const from = 100 * pageNumber(seen)
    return {
      json: { segments: rows(from, Math.min(from + 100, 250)), ...fields(pageNumber(seen) < 2, pageNumber(seen)) },
    }
  })
  expect({ count: ids.length, error }).toEqual({ count: 250, error: undefined })
})

test('rows that shift between pages come once (decision 134)', async () => {
  const { ids } = await list([page(rows(0, 100), true), page(rows(90, 190), true), page(rows(185, 195), false)])
  expect(ids).toEqual(rows(0, 195).map(({ id }) => id))
})

test.each([
  ['the same page again and again', () => page(rows(0, 100), true)],
  ['empty pages with more to follow', () => page([], true)],
])('%s is an error, not an endless loop (decision 134)', async (_name, answer) => {
  const { error, urls } = await list(answer)
  expect(error).toMatchObject({
    code: 'list-without-progress',
    message: expect.stringContaining('segments.list says that there are more items'),
  })
  expect(urls.length).toBeLessThanOrEqual(4)
})

test('one page that brings nothing new is passed over', async () => {
  expect((await list([page(rows(0, 10), true), page(rows(0, 10), true), page(rows(10, 12), false)])).ids).toHaveLength(
    12,
  )
})

test('a list that goes on after page 1000 is an error rather than cut short (decision 133)', async () => {
  const { ids, error } = await list((seen) => page([row(pageNumber(seen))], true))
  expect(ids).toHaveLength(1001)
  expect(error).toMatchObject({ code: 'list-too-long', hint: expect.stringContaining('filter') })
})

/** For a list in which each page is new: how it ends, and after how many pages. */
async function endless(page: (number: number) => JsonObject[]) {
  let read = 0
  let count = 0
  const rule = { operation: 'things.list', list: { items: 'items', id: 'id', paged: true }, filter: {} }
  const readPage = async () => ({ value: { items: page(read++), pageSize: 100, hasMore: true } })
  try {
    for await (const _ of listItems(rule, { readPage, pause: async () => {} })) count += 1
  } catch (error) {
    return { read, count, error }
  }
  throw new Error('it ended')
}

describe('a list that never ends is an error before it fills the memory', () => {
  const TEN_MB = 'x'.repeat(10_000_000)
  const LONG_ID = 'x'.repeat(1_000_000)
  const DEEP = nested(1_000_000)

  test.each<[string, (number: number) => JsonObject[], number]>([
    ['of pages of 10 MB', (number) => [{ id: number, text: TEN_MB }], 14],
    ['of long ids', (number) => [{ id: `${LONG_ID}${number}` }], 135],
    ['of long names', (number) => [{ id: number, [TEN_MB]: 1 }], 14],
    ['of deep values', (number) => [{ id: number, deep: DEEP }], 17],
    ['of very many items a page', (number) => rows(number * 20_000, (number + 1) * 20_000), 6],
  ])('%s', async (_, page, most) => {
    const { read, error } = await endless(page)
    expect(error).toMatchObject({ code: 'list-too-long', hint: expect.stringContaining('filter') })
    expect(read).toBeLessThanOrEqual(most)
  })
})

test('a page that never ends is refused at 16 MB', async () => {
  const chunk = `{"id":"s","segmentName":"${'x'.repeat(100_000)}"},`
  let sent = 0
  await using server = await scriptedServer([
    (_, response) => {
      const write = () => {
        if (response.destroyed || sent > 100_000_000) return
        sent += chunk.length
        response.write(chunk, write)
      }
      response.on('error', () => {}).write('{"segments":[', write)
    },
  ])
  await using client = testClient(server.url, { limits: { retry: { maxAttempts: 1 } } })
  const reading = Array.fromAsync(client.api.items('segments.list', {}))
  await expect(reading).rejects.toMatchObject({
    code: 'bad-answer',
    message: expect.stringContaining('larger than the limit'),
  })
  expect(sent).toBeLessThan(60_000_000)
})

test('a large list that stands still is read', async () => {
  const text = 'x'.repeat(40_000_000)
  const rule = { operation: 'things.list', list: { items: 'items', id: 'id', paged: true }, filter: {} }
  const readPage = async ({ page } = { page: 0 }) => ({
    value: { items: page < 3 ? [{ id: page, text }] : [], pageSize: 1, hasMore: page < 2 },
  })
  expect(await Array.fromAsync(listItems(rule, { readPage, pause: async () => {} }))).toHaveLength(3)
})

function nested(depth: number): Json {
  let value: Json = 0
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

test('a list that moves is read again after a pause, until it stands still', async () => {
  let first = 0
  await using server = await scriptedServer((seen) => {
    const reply = pageOf(rows(first, 250), seen)
    // One item is deleted after each of the first requests.
    if (server.seen.length < 18) first += 1
    return reply
  })
  const clock = fakeClock()
  await using client = testClient(server.url, { clock })
  const segments = await Array.fromAsync(client.api.items('segments.list', {}))
  expect(new Set(segments.map(({ id }) => id))).toEqual(new Set(rows(0, 250).map(({ id }) => id)))
  expect(clock.steady()).toBeGreaterThanOrEqual(2000)
})

test('a list that never stands still is an error that says so; what was seen was given', async () => {
  let first = 0
  const { ids, error, urls } = await list((seen) => {
    first += 1
    return pageOf(rows(first, first + 195), seen)
  })
  expect(error).toMatchObject({
    code: 'list-not-still',
    kind: 'failed',
    message: 'segments.list changed while it was read, 7 times in a row: something may be missing',
    hint: expect.stringContaining('try again'),
  })
  expect(ids.length).toBeGreaterThan(200)
  expect(urls).toHaveLength(22)
})

test('the pause before a list is read again ends with the step', async () => {
  let first = 0
  await using server = await scriptedServer((seen) => {
    first += 1
    return pageOf(rows(first, first + 150), seen)
  })
  const stop = new AbortController()
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      stop.abort(new Error('enough'))
    })
  await using client = testClient(server.url, { clock: { ...fakeClock(), sleep } })
  const reading = Array.fromAsync(client.api.items('segments.list', {}, { signal: stop.signal }))
  await expect(reading).rejects.toMatchObject({ code: 'aborted' })
})

test('no page is read before the pause is over', async () => {
  let read = 0
  // An item of the list is deleted after each page.
  const readPage = async ({ page, pageSize } = { page: 0, pageSize: 0 }) => {
    read += 1
    const from = read + page * pageSize
    return { value: { items: rows(from, Math.min(from + pageSize, read + 195)), page, pageSize, hasMore: page === 0 } }
  }
  const paused = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const pause = () => {
    paused.resolve()
    return over.promise
  }
  const rule = { operation: 'things.list', list: { items: 'items', id: 'id', paged: true }, filter: {} }
  const reading = Array.fromAsync(listItems(rule, { readPage, pause })).catch((error: unknown) => error)
  await paused.promise
  const readBefore = read
  await turn()
  expect(read).toBe(readBefore)
  over.resolve()
  expect(await reading).toMatchObject({ code: 'list-not-still' })
})

test('a page is read only when it is needed', async () => {
  await using server = await scriptedServer([page(rows(0, 100), true)])
  await using client = testClient(server.url)
  for await (const segment of client.api.items('segments.list', {})) if (segment.id === 's5') break
  expect(server.seen).toHaveLength(1)
})

test('groups and partners come in one page under keys of their own (decision 116)', async () => {
  await using server = await scriptedServer(({ url }) =>
    url.includes('groups')
      ? { body: '{"group":[{"groupId":9007199254740993,"groupName":"G"}]}' }
      : { json: { partners: [{ id: 1, name: 'P' }] } },
  )
  await using client = testClient(server.url)
  const groups = await Array.fromAsync(client.api.items('groups.list', {}))
  expect(groups.map((group) => group.groupId)).toEqual(['9007199254740993'])
  expect(await Array.fromAsync(client.api.items('partners.list', {}))).toEqual([{ id: 1, name: 'P' }])
  expect(server.seen.map((seen) => seen.url)).toEqual(['/p/1001/api/groups', '/p/1001/api/partners'])
})

test('no integration that matches is no item (decision 121)', async () => {
  await using server = await scriptedServer([{ status: 404 }])
  await using client = testClient(server.url)
  expect(
    await Array.fromAsync(client.api.items('integrations.list', { status: 'ENABLED', purpose: 'EXPORT' })),
  ).toEqual([])
})

test('the names that a filter asks for are filtered once more; a name that is not shown may be any (decisions 85 and 138)', async () => {
  const match = (matchId: number, segmentName: string | null) => ({ matchId, segmentName, status: 'FINISHED' })
  await using server = await scriptedServer([
    {
      json: {
        matches: [match(1, 'Auto'), match(2, 'Auto intenders'), match(3, ''), match(4, null)],
        page: 0,
        pageSize: 100,
        hasMore: false,
      },
    },
  ])
  await using client = testClient(server.url)
  const matches = await Array.fromAsync(client.api.items('matches.list', { segmentName: 'Auto', requester: true }))
  expect(matches.map((found) => found.matchId)).toEqual(['1', '3', '4'])
})
