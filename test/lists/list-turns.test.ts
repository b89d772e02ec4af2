import { once } from 'node:events'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { ListTurns, nextTurn, placesFor } from '../../src/lists/list-turns.ts'
import { listBench } from './list-bench.ts'

const runs = fc.array(
  fc.constantFrom('a', 'b', 'c').map((runId) => ({ runId })),
  { maxLength: 12 },
)

test('no run takes the last place, nobody waits beside a place of theirs, and the run with the fewest lists is next', () => {
  fc.assert(
    fc.property(runs, runs, fc.integer({ min: 1, max: 6 }), (waiting, working, atOnce) => {
      const next = nextTurn(waiting, working, atOnce)
      const has = (runId: string) => working.filter((turn) => turn.runId === runId).length
      const mayBegin = waiting.filter(({ runId }) => has(runId) < Math.max(1, atOnce - 1))
      if (working.length >= atOnce || mayBegin.length === 0) {
        expect(next).toBeUndefined()
        return
      }
      const fewest = Math.min(...mayBegin.map(({ runId }) => has(runId)))
      expect(next).toBe(mayBegin.find(({ runId }) => has(runId) === fewest))
    }),
  )
})

test('however turns begin, end, fail and are given up, there are never more than allowed, and each begins at some time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ runId: fc.constantFrom('a', 'b'), end: fc.constantFrom('well', 'badly', 'early') }), {
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 4 }),
      async (asked, atOnce) => {
        const turns = new ListTurns(atOnce)
        let working = 0
        let begun = 0
        const all = asked.map(async ({ runId, end }) => {
          const stop = new AbortController()
          const turn = turns.take({ runId, signal: stop.signal, onTurn: undefined }, async () => {
            begun += 1
            working += 1
            expect(working).toBeLessThanOrEqual(atOnce)
            await new Promise((resolve) => setImmediate(resolve))
            working -= 1
            if (end === 'badly') throw new Error('badly')
          })
          if (end === 'early') stop.abort()
          await turn.catch(() => undefined)
        })
        await Promise.all(all)
        expect(begun).toBeGreaterThanOrEqual(asked.filter(({ end }) => end !== 'early').length)
      },
    ),
  )
})

test('a caller that has to wait is told how many are ahead, and when its turn has come', async () => {
  const turns = new ListTurns(1)
  const held = Promise.withResolvers<void>()
  const told: Record<string, number[]> = { a: [], b: [], c: [] }
  const all = Object.entries(told).map(([runId, ahead]) =>
    turns.take(
      { runId, signal: new AbortController().signal, onTurn: (count) => ahead.push(count) },
      () => held.promise,
    ),
  )
  expect(told).toEqual({ a: [], b: [1], c: [2] })
  held.resolve()
  await Promise.all(all)
  expect(told).toEqual({ a: [], b: [1, 0], c: [2, 0] })
})

test('a caller that gives up before its turn does no work, and one that had given up before does not wait', async () => {
  const turns = new ListTurns(1)
  const stop = new AbortController()
  const seen: unknown[] = []
  const take = () =>
    turns.take({ runId: 'a', signal: stop.signal, onTurn: (ahead) => seen.push(ahead) }, async () => seen.push('work'))
  const first = take()
  const second = take()
  stop.abort(new Error('stop'))
  for (const turn of [first, second, take()]) await expect(turn).rejects.toThrow('stop')
  expect(seen).toEqual([1])
})

test('if the system limits the memory of this process, that limit counts, and not the memory of the machine', async () => {
  const memoryBytes = LIST_LIMITS.memoryBytes
  vi.spyOn(process, 'constrainedMemory').mockReturnValueOnce(4 * memoryBytes)
  const stop = new AbortController()
  const bench = listBench({
    openFile: () => once(stop.signal, 'abort').then(() => Promise.reject(new Error('stopped'))),
  })
  const told: string[] = []
  const all = ['a', 'b', 'c'].map((runId) =>
    bench.lists
      .make({ from: { file: bench.file }, signal: 'EMAIL' }, { ...bench.place, runId }, stop.signal, () =>
        told.push(runId),
      )
      .catch(() => undefined),
  )
  await expect.poll(() => told).toHaveLength(1)
  stop.abort()
  await Promise.all(all)
})

test.each([
  [16e9, 4],
  [8e9, 4],
  [6e9, 3],
  [1e9, 2],
])('half of a machine with %d bytes is for lists: %i at once', (machineBytes, places) => {
  expect(placesFor(LIST_LIMITS, machineBytes)).toBe(places)
  expect(placesFor({ ...LIST_LIMITS, atOnce: 7 }, machineBytes)).toBe(7)
})

test('slow queries of a run delay no list of another run, and waiting lists say that they wait', async () => {
  const bench = listBench({ limits: { ...LIST_LIMITS, memoryBytes: 300e6, atOnce: 2 } })
  const stop = new AbortController()
  const sql = "SELECT CASE WHEN sum(hash(range)) > 1 THEN 'a@x.test' END FROM range(1000000000000)"
  const seen: number[] = []
  await bench.prepare('email\nann@example.com\n', { column: 'email' })
  const slow = ['first', 'second'].map((stepKey) =>
    bench.lists.make(
      { from: { file: bench.file }, sql, signal: 'EMAIL' },
      { ...bench.place, runId: 'slow', stepKey },
      stop.signal,
      (ahead) => seen.push(ahead),
    ),
  )
  for (const each of slow) each.catch(() => undefined)
  await expect.poll(() => seen).toEqual([1])
  await expect(bench.prepare('email\nann@example.com\n', { column: 'email' })).resolves.toMatchObject({ keys: 1 })
  stop.abort()
  for (const each of slow) await expect(each).rejects.toMatchObject({ name: 'AbortError' })
})
