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
    onKeeper: (isKeeper) => told.push(isKeeper ? 'keeper' : 'no keeper'),
  })
  const renewed = lease.renew()
  const ended = lease.end().then(() => told.push('ended'))
  await turn()
  expect(told).toEqual([])
  beat.resolve({ isAlive: true, isKeeper: true, someExpired: false, someQueued: false })
  await Promise.all([renewed, ended])
  expect(told).toEqual(['ended'])
})
