import { expect, test } from 'vitest'
import { nextBatchSize, pruneRuns } from '../../src/engine/prune-runs.ts'

test.each([
  [50, 1, 100],
  [100, 20, 100],
  [500, 10, 500],
  [500, 100, 100],
  [10, 5000, 1],
  [300, 12, 500],
])('after %i runs in %i ms the next batch has %i', (size, tookMs, next) => {
  expect(nextBatchSize(size, tookMs)).toBe(next)
})

test('runs are removed in small batches, and others have their turn after each, for as long as it took', async () => {
  const left = new Map([
    ['a', 3000],
    ['b', 10],
  ])
  let nowMs = 0
  const batches: number[] = []
  const rests: number[] = []
  const journal = {
    pipelines: () => [...left.keys()],
    expired: ({ pipeline, limit }: { pipeline: string; limit: number }) =>
      Array.from({ length: Math.min(limit, left.get(pipeline) ?? 0) }, () => pipeline),
    async remove(ids: readonly string[]) {
      // A twenty-fifth of a millisecond for a run, then one: another process is busy with the disk.
      nowMs += ids.length * (batches.length < 6 ? 0.04 : 1)
      batches.push(ids.length)
      for (const id of ids) left.set(id, (left.get(id) ?? 0) - 1)
    },
  }
  const clock = { now: () => nowMs, sleep: async (ms: number) => void rests.push(ms) }
  const removed = await pruneRuns(
    { before: 1, keep: 0 },
    { journal, clock, steadyMs: () => nowMs, signal: new AbortController().signal },
  )
  expect(removed).toBe(3010)
  expect(batches.slice(0, 9)).toEqual([50, 100, 200, 400, 500, 500, 500, 20, 20])
  expect(rests).toHaveLength(batches.length)
  expect(rests.slice(5, 8)).toEqual([20, 500, 20])
})
