import { expect, test } from 'vitest'
import { sweep, takeOver } from '../../../src/engine/distributed/care-for-others.ts'

/** How long it takes to give away 24 runs, and in how many parts, if the database needs this long for each part. */
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

/** The runs that a sweep queues, if `r` comes to this process during the sweep. */
async function sweptWith({ comesHere = false, executor = 'gone' } = {}) {
  let isHere = false
  const given: string[] = []
  const found = await sweep(
    {
      executor: 'me',
      isHere: () => isHere,
      writes: { unattended: async () => [{ runId: 'r', profile: 'local', state: 'active' }] },
      workers: { registered: async () => ['me', 'alive'] },
      dbos: {
        whereAre: async () => {
          isHere = comesHere
          return new Map([['r', { executor, isEnded: false }]])
        },
        requeue: async (runIds: readonly string[]) => void given.push(...runIds),
      },
    } as never,
    new Set(['r']),
  )
  return { given, found: [...found] }
}

test('a run that nobody has is given to the queue, but not one that has come here meanwhile', async () => {
  expect(await sweptWith()).toEqual({ given: ['r'], found: ['r'] })
  expect(await sweptWith({ executor: 'me' })).toEqual({ given: ['r'], found: ['r'] })
  expect(await sweptWith({ executor: 'alive' })).toEqual({ given: [], found: [] })
  expect((await sweptWith({ comesHere: true })).given).toEqual([])
  expect((await sweptWith({ comesHere: true, executor: 'me' })).given).toEqual([])
})
