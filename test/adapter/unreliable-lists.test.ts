import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { type Reply, type Seen, scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const row = (id: number) => ({ id: `s${id}`, segmentName: `S${id}` })
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index))

interface Asked {
  readonly page: number
  readonly pageSize: number
  readonly from: number
  readonly to: number
  /** The number of the request in the test, from 0. */
  readonly at: number
}

function askedOf({ url }: Seen, at: number): Asked {
  const query = new URL(url, 'http://x').searchParams
  const [page, pageSize] = [Number(query.get('page')), Number(query.get('pageSize'))]
  return { page, pageSize, from: page * pageSize, to: (page + 1) * pageSize, at }
}

/** A page of a list, as in the contract. */
function pageOf(list: readonly JsonObject[], { page, pageSize, from, to }: Asked): JsonObject {
  return { segments: list.slice(from, to), page, pageSize, hasMore: to < list.length }
}

/** The result of `--all` for a list: the ids, the error, and the requests. */
async function read(answer: (asked: Asked) => JsonObject | Reply, filter: object = {}) {
  let at = 0
  await using server = await scriptedServer((seen) => {
    const reply = answer(askedOf(seen, at++))
    return typeof reply === 'object' && 'segments' in reply ? { json: reply } : (reply as Reply)
  })
  await using client = testClient(server.url)
  const ids: unknown[] = []
  let error: unknown
  try {
    for await (const { id } of client.api.untyped.items('segments.list', filter)) ids.push(id)
  } catch (reason) {
    error = reason
  }
  return { ids, error, asked: server.seen.map(({ url, headers }) => ({ url, headers })) }
}

const NOT_STILL = { name: 'ListError', code: 'list-not-still' }

describe('an order that is not total', () => {
  const swapped = (one: number, other: number) => rows(250).with(one, row(other))

  test.each([
    ['at the edge of a page', 100, 99],
    ['inside of a page', 120, 121],
    ['on two pages', 30, 230],
  ])('an item that stands twice %s, in the place of another, is no whole list', async (_, place, item) => {
    const { ids, error } = await read((asked) => pageOf(swapped(place, item), asked))
    expect(error).toMatchObject({ ...NOT_STILL, message: expect.stringContaining('twice') })
    expect(ids).toHaveLength(249)
  })

  test('that differs only with pages of 100 is seen through by pages of other sizes', async () => {
    const { ids, error } = await read((asked) => pageOf(asked.pageSize === 100 ? swapped(100, 99) : rows(250), asked))
    expect({ count: ids.length, error }).toEqual({ count: 250, error: undefined })
  })

  test('that differs only with large pages is seen through by small ones', async () => {
    const { ids, error } = await read((asked) => pageOf(asked.pageSize > 90 ? swapped(100, 99) : rows(250), asked))
    expect({ count: ids.length, error }).toEqual({ count: 250, error: undefined })
  })

  test('of a service that has a page size of its own is an error', async () => {
    const { error } = await read(({ page }) =>
      pageOf(swapped(100, 99), askedOf({ url: `/?page=${page}&pageSize=100` } as Seen, 0)),
    )
    expect(error).toMatchObject(NOT_STILL)
  })
})

describe('a cache', () => {
  /** The list loses its first item after the first request. */
  const moving = ({ at }: Asked) => (at === 0 ? rows(201) : rows(201).slice(1))

  test('is asked for nothing that it keeps', async () => {
    const { asked } = await read((one) => pageOf(rows(250), one))
    expect(asked.map(({ headers }) => headers['cache-control'])).toEqual(asked.map(() => 'no-cache'))
    expect(new Set(asked.map(({ url }) => url)).size).toBe(asked.length)
  })

  test('that keeps pages by their address hides nothing', async () => {
    const kept = new Map<string, JsonObject>()
    const { ids, error } = await read((asked) => {
      const key = `${asked.page} ${asked.pageSize}`
      const answer = kept.get(key) ?? pageOf(moving(asked), asked)
      kept.set(key, answer)
      return answer
    })
    expect(error).toBeUndefined()
    expect(ids).toEqual(
      expect.arrayContaining(
        rows(201)
          .slice(1)
          .map(({ id }) => id),
      ),
    )
  })

  test('that keeps the first page, whatever its size, hides nothing', async () => {
    let first: JsonObject | undefined
    const { ids, error } = await read((asked) => {
      const answer = pageOf(moving(asked), asked)
      first ??= answer
      return asked.page === 0 ? first : answer
    })
    if (error === undefined)
      expect(ids).toEqual(
        expect.arrayContaining(
          rows(201)
            .slice(1)
            .map(({ id }) => id),
        ),
      )
    else expect(error).toMatchObject(NOT_STILL)
  })
})

describe('an answer of a cache', () => {
  const reply = (asked: Asked, headers: Record<string, string>): Reply => ({ json: pageOf(rows(2), asked), headers })

  test.each([
    ['Age', '30'],
    ['X-Cache', 'HIT'],
    ['X-Cache', 'TCP_MEM_HIT from edge'],
    ['X-Cache', 'Hit from cloudfront'],
    ['X-Cache-Status', 'STALE'],
    ['CF-Cache-Status', 'UPDATING'],
    ['Cache-Status', 'edge; hit; ttl=30'],
  ])('%s: %s proves nothing: the list is read again with other addresses', async (name, value) => {
    const { ids, error, asked } = await read((one) => reply(one, one.at === 0 ? { [name]: value } : {}))
    expect({ ids, error }).toEqual({ ids: ['s0', 's1'], error: undefined })
    expect(asked.map(({ url }) => url.replace(/.*\?/, ''))).toEqual(['page=0&pageSize=100', 'page=0&pageSize=99'])
  })

  test.each([
    ['Age', '0'],
    ['X-Cache', 'MISS'],
    ['X-Cache', 'TCP_REFRESH_HIT from edge'],
    ['X-Cache', 'RefreshHit from cloudfront'],
    ['X-Cache-Status', 'REVALIDATED'],
    ['Cache-Status', 'edge; fwd=stale; fwd-status=304'],
  ])('%s: %s is an answer of the service', async (name, value) => {
    const { ids, asked } = await read((one) => reply(one, { [name]: value }))
    expect({ ids, requests: asked.length }).toEqual({ ids: ['s0', 's1'], requests: 1 })
  })

  test('again and again is an error that names the header', async () => {
    const { ids, error, asked } = await read((one) => reply(one, { 'x-cache': 'HIT' }))
    expect(error).toMatchObject({
      ...NOT_STILL,
      message: expect.stringContaining('X-Cache'),
      hint: expect.stringContaining('no-cache'),
    })
    expect({ ids, requests: asked.length }).toEqual({ ids: [], requests: 7 })
  })
})

describe('a service that says the wrong thing of its pages', () => {
  const whole = rows(250).map(({ id }) => id)

  test.each<[string, (list: readonly JsonObject[], asked: Asked) => JsonObject]>([
    ['that a full page is the last', (list, asked) => ({ ...pageOf(list, asked), hasMore: false })],
    ['the same with a text', (list, asked) => ({ ...pageOf(list, asked), hasMore: 'False' })],
    [
      'that more follow, as a number',
      (list, asked) => ({ ...pageOf(list, asked), hasMore: asked.to < list.length ? 1 : 0 }),
    ],
    [
      'nothing, and gives less than was asked for',
      (list, { page }) => ({ segments: list.slice(page * 40, page * 40 + 40) }),
    ],
    [
      'how many rows a page has, as its size',
      (list, asked) => {
        const page = pageOf(list, asked)
        return { ...page, pageSize: (page.segments as JsonObject[]).length }
      },
    ],
    [
      'its own size, and that more follow',
      (list, { page }) => ({
        segments: list.slice(page * 40, page * 40 + 40),
        page,
        pageSize: 40,
        hasMore: (page + 1) * 40 < list.length,
      }),
    ],
    [
      'the size asked for, and gives less',
      (list, { page, pageSize }) => ({
        segments: list.slice(page * 40, page * 40 + 40),
        page,
        pageSize,
        hasMore: (page + 1) * 40 < list.length,
      }),
    ],
    ['the right total', (list, asked) => ({ ...pageOf(list, asked), total: list.length })],
  ])('%s: is read whole', async (_, answer) => {
    const { ids, error } = await read((asked) => answer(rows(250), asked))
    expect({ ids, error }).toEqual({ ids: whole, error: undefined })
  })

  test('pages with gaps are read three times, each as long as it was asked for', async () => {
    // Every third item belongs to somebody else. It is left out after the list was cut into pages.
    const own = (list: readonly JsonObject[]) => list.filter((_, index) => index % 3 > 0)
    const { ids, error, asked } = await read((one) => {
      const page = pageOf(
        rows(250).map((item, index) => ({ ...item, index })),
        one,
      )
      return { ...page, segments: (page.segments as { index: number }[]).filter(({ index }) => index % 3 > 0) }
    })
    expect({ ids, error }).toEqual({ ids: own(rows(250)).map(({ id }) => id), error: undefined })
    expect(new Set(asked.map(({ url }) => url.replace(/.*pageSize=/, '')))).toEqual(new Set(['100', '99', '62']))
  })

  test.each([251, '251'])('a total of %j that it does not show is an error', async (total) => {
    const { ids, error } = await read((asked) => ({ ...pageOf(rows(250), asked), total }))
    expect(error).toMatchObject({ ...NOT_STILL, message: expect.stringContaining('251 items, but shows 250') })
    expect(ids).toHaveLength(250)
  })

  test('a last page that is short of the total is not the last', async () => {
    const { ids, error } = await read((asked) => ({
      ...pageOf(rows(250), { ...asked, from: asked.page * 30, to: asked.page * 30 + 30 }),
      totalCount: 250,
      hasMore: false,
    }))
    expect({ count: ids.length, error }).toEqual({ count: 250, error: undefined })
  })

  test('a total is not asked of a list that is filtered, and one that is too small says nothing', async () => {
    const filtered = await read((asked) => ({ ...pageOf(rows(3), asked), total: 900 }), { uploadSignal: 'IP' })
    expect({ ids: filtered.ids, requests: filtered.asked.length }).toEqual({ ids: ['s0', 's1', 's2'], requests: 1 })
    expect(await read((asked) => ({ ...pageOf(rows(3), asked), total: 1 }))).toMatchObject({ ids: ['s0', 's1', 's2'] })
  })

  test.each([[2], ['2'], [0]])('page %j in answer to page 1 is an error', async (page) => {
    const { error } = await read((asked) => ({
      ...pageOf(rows(250), asked),
      page: asked.page === 1 ? page : asked.page,
    }))
    expect(error).toMatchObject({
      name: 'ListError',
      code: 'list-wrong-page',
      message: expect.stringContaining('asked for page 1'),
    })
  })

  test.each([
    [
      'shows its last page again',
      (asked: Asked) => pageOf(rows(100), { ...asked, page: 0, from: 0, to: asked.pageSize }),
    ],
    ['refuses it with 404', () => 404],
    ['refuses it with 400', () => 400],
  ])('a service that %s where no page is, is read', async (_, beyond) => {
    const { ids, error } = await read((asked) => {
      if (asked.from < 100) return pageOf(rows(100), asked)
      const answer = beyond(asked)
      return typeof answer === 'number' ? { status: answer } : answer
    })
    expect({ count: ids.length, error }).toEqual({ count: 100, error: undefined })
  })

  test('a page that is refused although more was said to follow is an error', async () => {
    const { error } = await read((asked) => (asked.page === 1 ? { status: 404 } : pageOf(rows(250), asked)))
    expect(error).toMatchObject({ name: 'ApiError' })
  })

  test('an empty first page without a size, after which more follow, is passed over', async () => {
    const { ids, error } = await read((asked) => {
      if (asked.page === 0) return { segments: [], hasMore: true }
      return pageOf([...rows(asked.pageSize), ...rows(150)], asked)
    })
    expect({ count: ids.length, error }).toEqual({ count: 150, error: undefined })
  })

  test('a page that is shown again as the last one, although more was said to follow, is an error', async () => {
    const { error } = await read((asked) => ({
      ...pageOf(rows(250), { ...asked, from: 0, to: 100 }),
      page: 0,
      hasMore: asked.page === 0,
    }))
    expect(error).toMatchObject({ name: 'ListError', code: 'list-wrong-page' })
  })

  test('a service that knows no pages and says nothing shows everything at once', async () => {
    const { ids, error } = await read(() => ({ segments: rows(7) }))
    expect({ count: ids.length, error }).toEqual({ count: 7, error: undefined })
  })

  test.each([
    ['no id', { segmentName: 'S' }],
    ['an empty id', { id: '', segmentName: 'S' }],
    ['null for its id', { id: null }],
    ['an object for its id', { id: { value: 1 } }],
    ['no fields', null],
    ['a text', 's7'],
  ])('an item with %s is an error', async (_, item) => {
    const { ids, error } = await read((asked) => pageOf([...rows(3), item as JsonObject], asked))
    expect(error).toMatchObject({
      name: 'ListError',
      code: 'list-without-ids',
      message: expect.stringContaining('segments.list'),
    })
    expect(ids).toEqual([])
  })

  test('an id that is a number here and a text there is one', async () => {
    const { ids, error } = await read((asked) =>
      pageOf(
        Array.from({ length: 150 }, (_, id) => ({ id: asked.at % 2 === 0 ? id : `${id}` })),
        asked,
      ),
    )
    expect({ count: ids.length, error }).toEqual({ count: 150, error: undefined })
  })
})

test.each([
  ['that more follow', { hasMore: true }],
  ['a total', { total: 3 }],
])('a list without pages that says %s is an error', async (_, fields) => {
  await using server = await scriptedServer([{ json: { partners: [{ id: 1 }, { id: 2 }], ...fields } }])
  await using client = testClient(server.url)
  await expect(Array.fromAsync(client.api.items('partners.list', {}))).rejects.toMatchObject({
    name: 'ListError',
    code: 'list-without-progress',
    message: expect.stringContaining('more than the 2 items'),
  })
})

test('a list without pages has none to be another, and its total is not asked if it is filtered', async () => {
  await using server = await scriptedServer([{ json: { group: [{ groupId: 1 }], page: 1, hasMore: false, total: 9 } }])
  await using client = testClient(server.url)
  const groups = client.api.items('groups.list', { groupFeature: 'AGGREGATED_MATCH' })
  expect(await Array.fromAsync(groups)).toHaveLength(1)
  expect(server.seen).toHaveLength(1)
})

test('two items of one id on a page are both shown, and one that stands there twice is shown once', async () => {
  const [first, second] = [row(1), { ...row(1), segmentName: 'another' }]
  const { ids, error, asked } = await read((one) => pageOf([first, second, row(2), { ...row(2) }], one))
  expect({ ids, error, requests: asked.length }).toEqual({ ids: ['s1', 's1', 's2'], error: undefined, requests: 1 })
})
