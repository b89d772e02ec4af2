import { expect, test } from 'vitest'
import { takeOver } from '../../../src/engine/distributed/care-for-others.ts'

/** How long it takes to give away 24 runs, if the database needs so long for each part; and how many parts there are. */
async function tookWith(partMs: number) {
  let now = 0
  let parts = 0
  await takeOver({
    clock: {
      now: () => now,
      steady: () => now,
      sleep: async (ms: number) => {
        now += ms
      },
    },
    workers: { bury: (work: (executor: string) => Promise<void>) => work('dead') },
    writes: { findAll: async (runIds: readonly string[]) => runIds.map((runId) => ({ runId, profile: 'local' })) },
    dbos: {
      runsOf: async () => Array.from({ length: 24 }, (_, index) => `r${index}`),
      requeue: async () => {
        now += partMs
        parts += 1
      },
      removeQueue: async () => undefined,
    },
  } as never)
  return { now, parts }
}

test('the runs of a worker are given away in parts, which begin at intervals: a slow database adds none', async () => {
  expect(await tookWith(0)).toEqual({ now: 11 * 120, parts: 12 })
  expect(await tookWith(100)).toEqual({ now: 11 * 120 + 100, parts: 12 })
  expect(await tookWith(300)).toEqual({ now: 12 * 300, parts: 12 })
})
