import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ListReader, listItems, type PageAnswer } from '../../src/adapter/list-items.ts'
import type { Json } from '../../src/core/json.ts'
import { isLong } from '../support/is-long.ts'
import { tries } from '../support/tries.ts'
import { type Asked, type Change, type Cut, MovingList, PLAIN_CUT } from './moving-list.ts'

const RULE = { operation: 'things.list', list: { items: 'items', id: 'id', paged: true }, filter: {} }

/** Reads a list to its end. Returns the ids, and the code of the error if it ended with one. */
async function readAll(read: (asked: Asked) => PageAnswer) {
  const ids: string[] = []
  const reader: ListReader = {
    readPage: async (asked) => read(asked ?? { page: 0, pageSize: 100 }),
    pause: async () => {},
  }
  try {
    for await (const { id } of listItems(RULE, reader)) ids.push(String(id))
    return { ids, code: undefined }
  } catch (error) {
    return { ids, code: (error as { code?: string }).code }
  }
}

/** Reads the pages of a list without a cache. */
const readPages = (read: (page: number) => Json) => readAll(({ page }) => ({ value: read(page) }))

/** Changes to lists of some size. */
function changesIn(places: number): fc.Arbitrary<Change[][]> {
  const at = fc.nat(places)
  const none: fc.Arbitrary<Change[]> = fc.constant([])
  const change: fc.Arbitrary<Change> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('insert' as const), at }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), at }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), at, to: at }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('swap' as const), at, to: at }) },
    fc.record({ do: fc.constant('reverse' as const) }),
    fc.record({ do: fc.constant('rotate' as const), at }),
  )
  // Before each request: nothing, a few changes, or the same few again and again.
  return fc.oneof(
    fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 30 }),
    fc.array(fc.oneof({ weight: 3, arbitrary: none }, fc.array(change, { minLength: 1, maxLength: 2 })), {
      maxLength: 40,
    }),
    fc
      .tuple(
        fc.array(fc.array(change, { maxLength: 2 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 8 }),
      )
      .map(([round, times]) => Array.from({ length: times }, () => round).flat()),
  )
}

/**
 * Short lists in short pages of the service's own size, and lists of some hundred items in pages of the requested size.
 */
const SHORT = { length: fc.nat(10), size: fc.integer({ min: 1, max: 4 }), changes: changesIn(12) }
const REAL = {
  length: fc.oneof(fc.nat(10), fc.integer({ min: 97, max: 103 }), fc.integer({ min: 190, max: 320 })),
  size: fc.constant('asked' as const),
  changes: changesIn(320),
}

/** Behaviour of a service that is harmless by itself. */
const harmless = {
  named: fc.constantFrom<Cut['named'][]>('number', 'string', 'less', 'nothing'),
  says: fc.constantFrom<Cut['says'][]>('truth', 'moreAtEnd', 'end', 'nothing'),
  beyond: fc.constantFrom<Cut['beyond'][]>('empty', 'last', 'refused'),
  total: fc.constantFrom<Cut['total'][]>('none', 'right'),
}

const ties: fc.Arbitrary<Cut['ties']> = fc.record({
  among: fc.oneof(fc.integer({ min: 2, max: 5 }), fc.constantFrom(50, 400)),
  how: fc.constantFrom('alike' as const, 'anew' as const),
})

const cacheBy = (by: 'address' | 'firstPage'): fc.Arbitrary<Cut['cache']> =>
  fc.record({ requests: fc.integer({ min: 1, max: 40 }), by: fc.constant(by), tells: fc.boolean() })

/** How a reading may fail; `rejected` is the service's own refusal of a page that is gone. */
const FAILURES = ['list-not-still', 'list-without-progress', 'list-wrong-page', 'rejected']

type Kind = typeof SHORT | typeof REAL
type Odd = { readonly [Key in keyof Cut]?: fc.Arbitrary<Cut[Key]> }

/**
 * Reads a list that changes, and checks the law: items that existed all the time are returned, or the reading fails.
 */
async function holdTheLaw({ length, size, changes }: Kind, odd: Odd, isTold: typeof failsOnlyIfItMoves) {
  const told = { whole: 0, failed: 0, mirrored: 0 }
  const cut: fc.Arbitrary<Cut> = fc
    .record({ size, ...odd })
    .map((chosen): Cut => ({ ...PLAIN_CUT, ...chosen }))
    .filter(isKnowable)
  await fc.assert(
    fc.asyncProperty(length, cut, changes, async (items, how, before) => {
      const list = new MovingList(items, how, before)
      const { ids, code } = await readAll((asked) => list.read(asked))
      const given = new Set(ids)
      expect(given.size).toBe(ids.length)
      const ever = new Set(list.asked.flatMap(({ held }) => held))
      expect(ids.filter((id) => !ever.has(id))).toEqual([])
      if (code !== undefined) {
        told.failed += 1
        expect(FAILURES).toContain(code)
        isTold(list, code, how)
      } else if (how.gapEvery > 0 && list.stayed.some((id) => !given.has(id))) {
        told.mirrored += 1
        expect(isMirrored(list)).toBe(true)
      } else {
        told.whole += 1
        expect(list.stayed.filter((id) => !given.has(id))).toEqual([])
        // The reading even contains the whole list as it was at some moment.
        expect(list.asked.some(({ held }) => held.every((id) => given.has(id)))).toBe(true)
      }
    }),
    { numRuns: tries(400, 20_000) },
  )
  return told
}

/** No reader can notice a short first page if nothing says that it is short. */
function isKnowable({ size, named, says, beyond, ties }: Cut): boolean {
  if (says === 'moreAtEnd' && beyond !== 'empty') return false
  if (size === 'asked' || named === 'number' || named === 'string') return true
  return says !== 'end' && (says !== 'nothing' || ties.how === 'never')
}

/** Whether three consecutive readings were equal although the list moved. No reader can notice that. */
function isMirrored({ pages }: MovingList): boolean {
  const readings: string[][] = []
  for (const { page, ids } of pages) {
    if (page === 0) readings.push([])
    readings.at(-1)?.push(...ids)
  }
  const orders = readings.filter(({ length }) => length > 0).map((ids) => ids.join())
  return orders.some((one, index) => one === orders[index + 1] && one === orders[index + 2])
}

/**
 * Reading must succeed if the list did not change during the last two readings, or during the last three if it cannot
 * be counted.
 */
function failsOnlyIfItMoves(list: MovingList, code: string, { says, named }: Cut): void {
  const lastChange = list.asked.findLastIndex(({ changed }) => changed)
  // The third, the fifth and the seventh (last) reading request the first page twice.
  const beginnings = list.asked.flatMap(({ page }, index) => (page === 0 ? [index] : []))
  const isCounted = says !== 'nothing' && (named === 'number' || named === 'string')
  const beginning = beginnings.at(isCounted ? -3 : -5) ?? 0
  expect(lastChange).toBeGreaterThanOrEqual(code === 'list-not-still' ? beginning : 1)
}

describe.each([
  ['short lists', SHORT],
  ['lists of some hundred items', REAL],
] as const)('what was in a list all the time is returned, or reading it fails: %s', (_, kind) => {
  test('that anybody changes between two requests', async () => {
    const { whole, failed } = await holdTheLaw(kind, {}, failsOnlyIfItMoves)
    expect(whole).toBeGreaterThan(failed)
    if (isLong) expect(failed).toBeGreaterThan(0)
  })

  test('whose pages say too little, or the wrong thing', async () => {
    const { whole, failed } = await holdTheLaw(kind, harmless, failsOnlyIfItMoves)
    expect(whole).toBeGreaterThan(failed)
  })

  test('whose order is not total', async () => {
    const { whole, failed } = await holdTheLaw(kind, { ...harmless, ties }, () => {})
    expect(whole).toBeGreaterThan(0)
    expect(failed).toBeGreaterThan(0)
  })

  test('that a cache keeps in part', async () => {
    const { whole } = await holdTheLaw(kind, { ...harmless, cache: cacheBy('address') }, () => {})
    expect(whole).toBeGreaterThan(0)
  })

  test('all of this at once', async () => {
    const { whole } = await holdTheLaw(kind, { ...harmless, ties, cache: cacheBy('address') }, () => {})
    expect(whole).toBeGreaterThan(0)
  })

  test('with gaps in its pages', async () => {
    const gaps = {
      gapEvery: fc.integer({ min: 2, max: 5 }),
      says: fc.constantFrom<Cut['says'][]>('truth', 'moreAtEnd'),
    }
    const { whole, mirrored } = await holdTheLaw(kind, gaps, () => {})
    expect(whole).toBeGreaterThan(0)
    expect(mirrored).toBeLessThanOrEqual(whole / 50)
  })

  test('that says that it has more than it shows: it always fails', async () => {
    const { whole, failed } = await holdTheLaw(kind, { ...harmless, total: fc.constant('more' as const) }, () => {})
    expect(whole).toBe(0)
    expect(failed).toBeGreaterThan(0)
  })
})

test('a cache that keeps the first page, whatever its size, hides nothing', async () => {
  const { whole } = await holdTheLaw(REAL, { cache: cacheBy('firstPage') }, () => {})
  expect(whole).toBeGreaterThan(0)
})

test('a list that stands still costs one request for one page, and 2 N for N pages; a full last page counts twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.nat(20), fc.nat(1500)), async (length) => {
      const list = new MovingList(length, PLAIN_CUT, [])
      expect(await readAll((asked) => list.read(asked))).toEqual({ ids: list.stayed, code: undefined })
      const pages = Math.floor(length / 100) + 1
      expect(list.asked).toHaveLength(pages === 1 ? 1 : 2 * pages)
      expect(new Set(list.asked.map(({ page, pageSize }) => `${page} ${pageSize}`)).size).toBe(list.asked.length)
    }),
  )
})

test('so do pages of a size of the service’s own', async () => {
  const size = fc.integer({ min: 1, max: 4 })
  const named = fc.constantFrom('number' as const, 'string' as const)
  await fc.assert(
    fc.asyncProperty(fc.nat(20), size, named, async (length, own, how) => {
      const list = new MovingList(length, { ...PLAIN_CUT, size: own, named: how }, [])
      expect(await readAll((asked) => list.read(asked))).toEqual({ ids: list.stayed, code: undefined })
      const pages = Math.floor(length / own) + 1
      expect(list.asked.length).toBeLessThanOrEqual(pages === 1 ? 1 : 2 * pages)
    }),
  )
})

test.each([2, 3, 4])('%i servers with orders of their own that answer in turn hide nothing', async (servers) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      fc.nat(),
      async (length, size, seed) => {
        const ids = Array.from({ length }, (_, index) => index)
        const ordered = (server: number) =>
          ids.toSorted((a, b) => ((a * 7919 + seed * server) % 97) - ((b * 7919 + seed * server) % 97))
        let asked = 0
        const read = (page: number) => {
          const from = page * size
          const items = ordered(asked % servers)
            .slice(from, from + size)
            .map((id) => ({ id }))
          asked += 1
          return { items, page, pageSize: size, hasMore: from + size < length }
        }
        const { ids: found, code } = await readPages(read)
        if (code === undefined) expect(found.map(Number).sort((a, b) => a - b)).toEqual(ids)
        else expect(['list-not-still', 'list-without-progress']).toContain(code)
      },
    ),
    { numRuns: tries(300, 10_000) },
  )
})

const odd = fc.record({
  /** The rows of each page; an item may be in many rows. */
  pages: fc.array(fc.array(fc.nat(15), { maxLength: 4 }), { minLength: 1, maxLength: 8 }),
  pageSize: fc.constantFrom(undefined, null, 'many', 3, '3', 100, -1),
})

/** Whether three consecutive pages are empty although more are to follow (decision 134). */
function stalls(pages: readonly (readonly number[])[]): boolean {
  const seen = new Set<number>()
  const brings = pages.map((page) => {
    const before = seen.size
    for (const id of page) seen.add(id)
    return seen.size > before
  })
  return brings.slice(0, -1).some((_, index, all) => index >= 2 && !all.slice(index - 2, index + 1).includes(true))
}

test('a list that stands still is read whole however odd its pages are, if no item stands on two rows', async () => {
  await fc.assert(
    fc.asyncProperty(odd, async ({ pages, pageSize }) => {
      let asked = 0
      const { ids, code } = await readPages((page) => {
        asked += 1
        return {
          items: (pages[page] ?? []).map((id) => ({ id })),
          ...(pageSize !== undefined && { pageSize }),
          hasMore: page < pages.length - 1,
        }
      })
      const all = pages.flat()
      const repeats = asked > 1 && new Set(all).size < all.length
      if (stalls(pages) || repeats) expect(FAILURES).toContain(code)
      else expect(code).toBeUndefined()
      if (code === undefined) {
        expect(ids).toHaveLength(new Set(all).size)
        expect(asked).toBeLessThanOrEqual(3 * (pages.length + 1) + 1)
      }
    }),
    { numRuns: tries(500, 10_000) },
  )
})
