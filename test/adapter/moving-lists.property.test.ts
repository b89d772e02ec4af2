import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listItems } from '../../src/adapter/list-items.ts'
import type { Json } from '../../src/core/json.ts'
import { isLong } from '../support/is-long.ts'
import { type Change, type Cut, MovingList } from './moving-list.ts'

const RULE = { operation: 'things.list', list: { items: 'items', id: 'id', paged: true }, filter: {} }

/** Reads a list to its end: the ids that it gave, and the code of the error if it ended with one. */
async function readAll(readPage: (page: number) => Json) {
  const ids: string[] = []
  const reader = { readPage: async (page?: { page: number }) => readPage(page?.page ?? 0), pause: async () => {} }
  try {
    for await (const { id } of listItems(RULE, reader)) ids.push(String(id))
    return { ids, code: undefined }
  } catch (error) {
    return { ids, code: (error as { code?: string }).code }
  }
}

const at = fc.nat(12)
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('insert' as const), at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), at, to: at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('swap' as const), at, to: at }) },
  fc.record({ do: fc.constant('reverse' as const) }),
  fc.record({ do: fc.constant('rotate' as const), at }),
)
const cut: fc.Arbitrary<Cut> = fc.record({
  size: fc.integer({ min: 1, max: 4 }),
  named: fc.constantFrom('number', 'string', 'less'),
  endsEmpty: fc.boolean(),
})

/** Before each request: nothing, a few changes, or the same few again and again. */
const changes = fc.oneof(
  fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 30 }),
  fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(change, { minLength: 1, maxLength: 2 })), {
    maxLength: 40,
  }),
  fc
    .tuple(fc.array(fc.array(change, { maxLength: 2 }), { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 8 }))
    .map(([round, times]) => Array.from({ length: times }, () => round).flat()),
)

/** The request with which the last reading but one began. The last begins with one page more. */
function beginningOfLastTwo({ asked }: MovingList): number {
  return asked.flatMap(({ page }, index) => (page === 0 ? [index] : [])).at(-3) ?? 0
}

/** Whether three readings in a row were alike although the list moved: what no reader can see through. */
function isMirrored(list: MovingList, { size }: Cut): boolean {
  const readings: string[][] = []
  for (const { page, held } of list.asked) {
    if (page === 0) readings.push([])
    readings.at(-1)?.push(held.slice(page * size, page * size + size).join())
  }
  const whole = readings.filter(({ length }) => length > 1).map((pages) => pages.join('|'))
  return whole.some((one, index) => one === whole[index + 1] && one === whole[index + 2])
}

test('what was in a list all the time is returned, or reading it fails: whatever changes between two requests', async () => {
  const told = { whole: 0, notStill: 0, mirrored: 0 }
  await fc.assert(
    fc.asyncProperty(fc.nat(10), cut, changes, async (length, how, before) => {
      const list = new MovingList(length, how, before)
      const { ids, code } = await readAll((page) => list.read(page))
      expect(new Set(ids).size).toBe(ids.length)
      const ever = new Set(list.asked.flatMap(({ held }) => held))
      expect(ids.filter((id) => !ever.has(id))).toEqual([])
      if (code !== undefined) {
        told.notStill += 1
        expect(['list-not-still', 'list-without-progress']).toContain(code)
        const lastChange = list.asked.findLastIndex(({ changed }) => changed)
        const lastReading = code === 'list-not-still' ? beginningOfLastTwo(list) : 1
        expect(lastChange).toBeGreaterThanOrEqual(lastReading)
      } else if (isMirrored(list, how)) told.mirrored += 1
      else {
        told.whole += 1
        expect(list.stayed.filter((id) => !ids.includes(id))).toEqual([])
        // More than that: there was a moment whose whole list it is.
        expect(list.asked.some(({ held }) => held.every((id) => ids.includes(id)))).toBe(true)
      }
    }),
    { numRuns: isLong ? 100_000 : 3000 },
  )
  expect(told.whole).toBeGreaterThan(told.notStill)
  expect(told.notStill).toBeGreaterThan(0)
  expect(told.mirrored).toBeLessThan((told.whole + told.notStill) / 100)
})

test('a list that stands still costs one request for one page, and for more all but the last once more', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(20), cut, async (length, how) => {
      const list = new MovingList(length, how, [])
      expect(await readAll((page) => list.read(page))).toEqual({ ids: list.stayed, code: undefined })
      const isOpen = how.endsEmpty && length > 0 && length % how.size === 0
      const pages = Math.max(1, Math.ceil(length / how.size)) + (isOpen ? 1 : 0)
      expect(list.asked).toHaveLength(2 * pages - 1)
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
        const { ids: found, code } = await readAll(read)
        if (code === undefined) expect(found.map(Number).sort((a, b) => a - b)).toEqual(ids)
        else expect(['list-not-still', 'list-without-progress']).toContain(code)
      },
    ),
    { numRuns: isLong ? 10_000 : 300 },
  )
})

const odd = fc.record({
  /** Rows of each page; an item may stand in many rows. */
  pages: fc.array(fc.array(fc.nat(15), { maxLength: 4 }), { minLength: 1, maxLength: 8 }),
  pageSize: fc.constantFrom(undefined, null, 'many', 3, '3', 100, -1),
  hasId: fc.boolean(),
})

/** Whether three pages in a row bring nothing, and more are to follow (decision 134). */
function stalls(pages: readonly (readonly number[])[]): boolean {
  const seen = new Set<number>()
  const brings = pages.map((page) => {
    const before = seen.size
    for (const id of page) seen.add(id)
    return seen.size > before
  })
  return brings.slice(0, -1).some((_, index, all) => index >= 2 && !all.slice(index - 2, index + 1).includes(true))
}

test('a list that stands still is read whole however odd its pages are', async () => {
  await fc.assert(
    fc.asyncProperty(odd, async ({ pages, pageSize, hasId }) => {
      let asked = 0
      const { ids, code } = await readAll((page) => {
        asked += 1
        const items = (pages[page] ?? []).map((id) => (hasId ? { id } : { name: id }))
        return { items, ...(pageSize !== undefined && { pageSize }), hasMore: page < pages.length - 1 }
      })
      expect(code).toBe(stalls(pages) ? 'list-without-progress' : undefined)
      if (code === undefined) expect(ids).toHaveLength(new Set(pages.flat()).size)
      expect(asked).toBeLessThanOrEqual(pages.length === 1 ? 1 : 3 * pages.length + 1)
    }),
    { numRuns: isLong ? 10_000 : 500 },
  )
})
