import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { keepLease } from '../../../src/engine/distributed/lease.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Beat } from '../../../src/state/postgres/worker-rows.ts'

test('a lease has ended when its last heartbeat is answered, and the answer gives no role back', async () => {
  const beat = Promise.withResolvers<Beat>()
  const told: string[] = []
  const lease = keepLease('one', {
    rows: { beat: () => beat.promise },
    clock: systemClock,
    times: { beatMs: 60_000, leaseMs: 60_000, guardMs: 0 },
    keeps: true,
    onMissed: () => told.push('missed'),
  })
  lease.begin({
    onBeat: () => told.push('beat'),
    onKeeper: (isKeeper) => told.push(isKeeper ? 'keeper' : 'no keeper'),
  })
  const renewed = lease.renew()
  const ended = lease.end().then(() => told.push('ended'))
  await turn()
  expect(told).toEqual([])
  beat.resolve({
    isAlive: true,
    isKeeper: true,
    someExpired: false,
    someQueued: false,
    isDraining: false,
    hasOthers: false,
  })
  await Promise.all([renewed, ended])
  expect(told).toEqual(['ended'])
  await expect(lease.renew()).rejects.toMatchObject({ code: 'lease-lost' })
})

test('a heartbeat that fails, or has no answer for too long, is told', async () => {
  const missed: string[] = []
  const leases: (() => void)[] = []
  const answers = [Promise.reject(new Error('connect ECONNREFUSED')), new Promise<Beat>(() => undefined)]
  const lease = keepLease('one', {
    rows: { beat: () => answers.shift() ?? new Promise(() => undefined) },
    clock: {
      ...systemClock,
      sleep: (ms) =>
        new Promise((resolve) => {
          if (ms === 10_000) leases.push(resolve)
        }),
    },
    times: { beatMs: 1000, leaseMs: 3000, guardMs: 0 },
    keeps: true,
    onMissed: (error) => missed.push((error as Error).message),
  })
  await expect(lease.renew()).rejects.toThrow('ECONNREFUSED')
  void lease.renew()
  leases[1]?.()
  await turn()
  expect(missed).toEqual(['connect ECONNREFUSED', 'the database has not answered for 10.0 s'])
})

/**
 * A lease whose clock and heartbeats the test controls. `terms` has the sleeps that are terms of the keeper, recognized
 * by their lengths.
 */
function heldLease() {
  let steady = 0
  let beat = Promise.withResolvers<Beat>()
  const told: string[] = []
  const asked: string[] = []
  const beats: Beat[] = []
  const terms: { readonly ms: number; end(): void }[] = []
  const timers = new Set<number>()
  const lease = keepLease('one', {
    rows: {
      beat: (executor) => {
        asked.push(executor)
        return beat.promise
      },
    },
    clock: {
      ...systemClock,
      now: () => steady,
      steady: () => steady,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          timers.add(ms)
          signal?.addEventListener('abort', () => {
            timers.delete(ms)
            reject(signal.reason)
          })
          if (ms <= 3000 && ms !== 1000) terms.push({ ms, end: resolve })
        }),
    },
    times: { beatMs: 1000, leaseMs: 3000, guardMs: 4000 },
    keeps: true,
    onMissed: () => undefined,
  })
  lease.begin({
    onBeat: (one) => beats.push(one),
    onKeeper: (isKeeper) => told.push(isKeeper ? 'keeper' : 'no keeper'),
  })
  const answer = async (give: () => void, renewed = lease.renew()) => {
    give()
    beat = Promise.withResolvers()
    await renewed.catch(() => undefined)
    await turn()
  }
  return {
    lease,
    told,
    /** The owners whose heartbeats were sent. */
    asked,
    beats,
    terms,
    /** The lengths of the timers that still run. */
    timers,
    /** A heartbeat with its question, its answer and the time in between. */
    async beat({ takesMs = 0, isKeeper = true, isAlive = true } = {}) {
      const renewed = lease.renew()
      steady += takesMs
      await answer(
        () =>
          beat.resolve({
            isAlive,
            isKeeper,
            someExpired: false,
            someQueued: false,
            isDraining: false,
            hasOthers: false,
          }),
        renewed,
      )
    },
    fail: () => answer(() => beat.reject(new Error('connect ECONNREFUSED'))),
    pass: (ms: number) => {
      steady += ms
    },
  }
}

test('the term of the keeper counts from before the question: the database may have answered long ago', async () => {
  const { beat, terms, told } = heldLease()
  await beat({ takesMs: 2500 })
  expect(terms.map(({ ms }) => ms)).toEqual([500])
  terms[0]?.end()
  await turn()
  expect(told).toEqual(['keeper', 'no keeper'])
  await beat({ takesMs: 5000 })
  expect(terms.map(({ ms }) => ms)).toEqual([500, 0])
})

test('a heartbeat extends the term of the keeper, or ends it', async () => {
  const { beat, terms, told } = heldLease()
  await beat({ takesMs: 10 })
  await beat({ takesMs: 20 })
  expect(terms.map(({ ms }) => ms)).toEqual([2990, 2980])
  // The first term was renewed, so its end means nothing.
  terms[0]?.end()
  await turn()
  expect(told).toEqual(['keeper'])
  await beat({ isKeeper: false })
  expect(told).toEqual(['keeper', 'no keeper'])
})

test('a lease that others took ends the role, and no heartbeat follows', async () => {
  const { lease, beat, told } = heldLease()
  await beat()
  await beat({ isAlive: false })
  expect(told).toEqual(['keeper', 'no keeper'])
  expect(await lease.lost).toMatchObject({ code: 'lease-lost' })
  await expect(lease.renew()).rejects.toMatchObject({ code: 'lease-lost' })
})

test('a process takes over only after its own heartbeats went well for a lease and longer', async () => {
  const { lease, beat, pass } = heldLease()
  pass(4000)
  expect(lease.maySucceed).toBe(true)
  // No heartbeat came for longer than a lease, so others may have taken over.
  await beat()
  expect(lease.maySucceed).toBe(false)
  pass(2000)
  await beat()
  pass(2000)
  expect(lease.maySucceed).toBe(true)
})

test('a heartbeat that fails ends the good time, and the next good one begins it anew', async () => {
  const { lease, beat, fail, pass } = heldLease()
  pass(3000)
  await beat()
  pass(1000)
  // The pause was exactly as long as a lease.
  expect(lease.maySucceed).toBe(true)
  await fail()
  expect(lease.maySucceed).toBe(false)
  await beat()
  expect(lease.maySucceed).toBe(false)
  pass(2000)
  await beat()
  pass(2000)
  expect(lease.maySucceed).toBe(true)
})

test('the term of an earlier role does not end a later one', async () => {
  const { beat, terms, told } = heldLease()
  await beat()
  await beat({ isKeeper: false })
  await beat()
  terms[0]?.end()
  await turn()
  expect(told).toEqual(['keeper', 'no keeper', 'keeper'])
})

test('those who renew at the same time share a heartbeat, and each heartbeat is told', async () => {
  const { lease, beat, asked, beats } = heldLease()
  const other = lease.renew()
  await beat({ isKeeper: false })
  await other
  expect(asked).toEqual(['one'])
  expect(beats).toEqual([expect.objectContaining({ isKeeper: false })])
})

test('no timer outlives its heartbeat, its role or its lease', async () => {
  const { lease, beat, timers } = heldLease()
  await beat()
  expect([...timers]).toEqual([1000, 3000])
  await beat({ isKeeper: false })
  expect([...timers]).toEqual([1000])
  await beat()
  await lease.end()
  expect([...timers]).toEqual([])
  const taken = heldLease()
  await taken.beat({ isAlive: false })
  expect([...taken.timers]).toEqual([])
})
