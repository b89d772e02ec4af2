import { expect, test } from 'vitest'
import { packRuns, pruneRuns } from '../../src/engine/prune-runs.ts'

/** Prunes runs that take `runMs` each to remove; it has to stop after 100 batches. */
async function prune(left: Map<string, number>, runMs: () => number) {
  let nowMs = 0
  const stopped = new AbortController()
  const batches: number[] = []
  const rests: number[] = []
  const runs = {
    pipelines: async () => [...left.keys()],
    expired: async ({ pipeline, limit }: { pipeline: string; limit: number }) =>
      Array.from({ length: Math.min(limit, left.get(pipeline) ?? 0) }, () => pipeline),
    async remove(ids: readonly string[], maxMs: number) {
      const count = Math.min(ids.length, Math.ceil(maxMs / runMs()))
      nowMs += count * runMs()
      batches.push(count)
      for (const id of ids.slice(0, count)) left.set(id, (left.get(id) ?? 0) - 1)
      return count
    },
  }
  const sleep = async (ms: number) => {
    rests.push(ms)
    if (rests.length === 100) stopped.abort()
  }
  const removed = await pruneRuns(
    { before: 1, keep: 0 },
    { runs, clock: { now: () => nowMs, sleep }, steadyMs: () => nowMs, signal: stopped.signal },
  )
  return { removed, batches, rests }
}

test('runs are removed 500 at a time at most', async () => {
  const left = new Map([
    ['a', 1200],
    ['b', 10],
  ])
  const { removed, batches } = await prune(left, () => 0.01)
  expect(removed).toBe(1210)
  expect(batches).toEqual([500, 500, 200, 10])
})

test('a batch ends after 20 ms; what is left of it is in the next batch', async () => {
  const { removed, batches } = await prune(new Map([['a', 100]]), () => 0.5)
  expect(removed).toBe(100)
  expect(batches).toEqual([40, 40, 20])
})

test('after each batch others have their turn, for as long as it took and for 20 ms at least', async () => {
  const { rests } = await prune(new Map([['a', 3]]), () => 70)
  expect(rests).toEqual([70, 70, 70])
  expect((await prune(new Map([['a', 3]]), () => 1)).rests).toEqual([20])
})

test('nothing more is removed when it has to stop', async () => {
  const { removed, batches } = await prune(new Map([['a', 500]]), () => 25)
  expect([removed, batches.length]).toEqual([100, 100])
})

test('runs are packed 20 ms at a time, with pauses, until none is left or it has to stop', async () => {
  const stopped = new AbortController()
  const rests: number[] = []
  let nowMs = 0
  const pack = (left: number) => ({
    async pack(maxMs: number) {
      expect(maxMs).toBe(20)
      nowMs += 30
      left -= 1
      return left > 0
    },
  })
  const clock = {
    now: () => nowMs,
    async sleep(ms: number) {
      rests.push(ms)
      if (rests.length === 5) stopped.abort()
    },
  }
  const deps = { clock, steadyMs: () => nowMs, signal: stopped.signal }
  await packRuns({ ...deps, runs: pack(3) })
  expect(rests).toEqual([30, 30])
  await packRuns({ ...deps, runs: pack(99) })
  expect(rests).toHaveLength(5)
})
