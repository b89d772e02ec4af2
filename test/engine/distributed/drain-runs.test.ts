import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Draining, drainRuns } from '../../../src/engine/distributed/draining.ts'
import { RunTakenOverError } from '../../../src/state/run-store.ts'

const child = { isChild: true, isOwnChild: false }
const own = { isChild: true, isOwnChild: true }
const root = { isChild: false, isOwnChild: false }

test.each([
  [{ isDraining: false, hasOthers: false }, [true, true, true], false],
  [{ isDraining: false, hasOthers: true }, [true, true, true], false],
  [{ isDraining: true, hasOthers: false }, [false, true, true], false],
  [{ isDraining: true, hasOthers: true }, [false, false, true], true],
])('what a worker begins as the heartbeat says %j', (beat, begins, givesAway) => {
  const draining = new Draining()
  expect([root, child, own].map((run) => draining.mayBegin(run))).toEqual([true, true, true])
  expect([draining.isOn, draining.givesAway]).toEqual([false, false])
  draining.note(beat)
  expect([root, child, own].map((run) => draining.mayBegin(run))).toEqual(begins)
  expect([draining.isOn, draining.givesAway]).toEqual([beat.isDraining, givesAway])
})

test('only a change is told, and each one', async () => {
  const draining = new Draining()
  let changes = 0
  const noted = async (isDraining: boolean, hasOthers: boolean) => {
    void draining.changed.then(() => {
      changes += 1
    })
    draining.note({ isDraining, hasOthers })
    await turn()
    const told = changes
    changes = 0
    return told
  }
  expect(await noted(false, false)).toBe(0)
  // Callers that already wait are notified, too.
  expect(await noted(true, false)).toBe(2)
  expect(await noted(true, false)).toBe(0)
  expect(await noted(true, true)).toBe(2)
  expect(await noted(false, true)).toBe(1)
})

/** A draining worker with parked runs. It gives them away when the test says so. */
function drainingWorker(parked: string[]) {
  const told: string[] = []
  const gifts: (PromiseWithResolvers<void> & { readonly runIds: readonly string[] })[] = []
  const draining = new Draining()
  const worker = { isBusy: true, left: (runId: string, reason: unknown) => void told.push(`${runId} ${reason}`) }
  let isDrained = false
  const { drain, drained } = drainRuns({
    runs: {
      abandon(reasonFor) {
        const all = parked.splice(0)
        for (const runId of all) told.push(`abandon ${reasonFor(runId)}`)
        return all
      },
    },
    gate: { hasRoom: () => void told.push('room') },
    draining,
    worker,
    give(runIds) {
      const gift = { runIds, ...Promise.withResolvers<void>() }
      gifts.push(gift)
      return gift.promise
    },
  })
  void drained.then(() => {
    isDrained = true
  })
  return {
    draining,
    worker,
    gifts,
    isDrained: () => isDrained,
    async drain() {
      drain()
      await turn()
      return told.splice(0)
    },
  }
}

test('runs that only wait go to others, which have them before the worker has drained', async () => {
  const { draining, worker, gifts, drain, isDrained } = drainingWorker(['a', 'b'])
  draining.note({ isDraining: true, hasOthers: false })
  expect([await drain(), gifts.length]).toEqual([['room'], 0])
  worker.isBusy = false
  draining.note({ isDraining: true, hasOthers: true })
  const gone = ['a', 'b'].map((runId) => new RunTakenOverError(runId))
  const left = gone.map((reason, at) => `${'ab'[at]} ${reason}`)
  expect(await drain()).toEqual(['room', ...gone.map((reason) => `abandon ${reason}`), ...left])
  expect([gifts[0]?.runIds, isDrained()]).toEqual([['a', 'b'], false])
  // Runs that could not be given away are given away with the next heartbeat.
  gifts[0]?.reject(new Error('away'))
  await turn()
  expect(isDrained()).toBe(false)
  await drain()
  expect(gifts[1]?.runIds).toEqual(['a', 'b'])
  gifts[1]?.resolve()
  await turn()
  expect(isDrained()).toBe(true)
  await drain()
  expect(gifts[2]?.runIds).toEqual([])
})

test('a worker has drained when it drains and nothing is worked on', async () => {
  const { draining, worker, drain, isDrained } = drainingWorker([])
  worker.isBusy = false
  await drain()
  expect(isDrained()).toBe(false)
  draining.note({ isDraining: true, hasOthers: false })
  worker.isBusy = true
  await drain()
  expect(isDrained()).toBe(false)
  worker.isBusy = false
  await drain()
  expect(isDrained()).toBe(true)
})
