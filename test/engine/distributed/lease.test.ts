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
    onBeat: () => told.push('beat'),
    onMissed: () => told.push('missed'),
    onKeeper: (isKeeper) => told.push(isKeeper ? 'keeper' : 'no keeper'),
  })
  const renewed = lease.renew()
  const ended = lease.end().then(() => told.push('ended'))
  await turn()
  expect(told).toEqual([])
  beat.resolve({ isAlive: true, isKeeper: true, someExpired: false, someQueued: false })
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
    onBeat: () => undefined,
    onMissed: (error) => missed.push((error as Error).message),
    onKeeper: () => undefined,
  })
  await expect(lease.renew()).rejects.toThrow('ECONNREFUSED')
  void lease.renew()
  leases[1]?.()
  await turn()
  expect(missed).toEqual(['connect ECONNREFUSED', 'the database has not answered for 10.0 s'])
})
