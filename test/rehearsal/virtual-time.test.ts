import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NEVER } from '../../src/core/clock.ts'
import { VirtualTime } from '../../src/rehearsal/virtual-time.ts'

const START = Date.UTC(2026, 9, 20)

/** Waits until everything that follows in this turn has happened. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('who sleeps wakes at the time it asked for, one after another, and what falls on one moment goes by turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ ms: fc.nat(50), turn: fc.constantFrom('', 'a', 'b') }), { maxLength: 30 }),
      async (asked) => {
        const time = new VirtualTime(START)
        const clock = time.clock()
        const woken: { at: number; ms: number; turn: string; order: number }[] = []
        asked.forEach(({ ms, turn: name }, order) => {
          void clock
            .sleep(ms, undefined, undefined, () => name)
            .then(() => woken.push({ at: time.now() - START, ms, turn: name, order }))
        })
        for (let wakes = 0; wakes < asked.length; wakes++) {
          expect(time.next()).toBe(true)
          await turn()
          expect(woken).toHaveLength(wakes + 1)
        }
        expect(time.next()).toBe(false)
        expect(woken.every(({ at, ms }) => at === ms)).toBe(true)
        const key = ({ ms, turn: name, order }: (typeof woken)[number]) =>
          `${String(ms).padStart(3, '0')} ${name} ${String(order).padStart(3, '0')}`
        expect(woken.map(key)).toEqual(woken.map(key).toSorted())
      },
    ),
  )
})

test('who only looks around looks for a while after something happened, and then rests until something is due for it', async () => {
  const time = new VirtualTime(START)
  const clock = time.clock()
  const looks: number[] = []
  const lookAround = async () => {
    for (;;) {
      looks.push(time.now() - START)
      await clock.sleep(1_000, undefined, 60_000)
    }
  }
  void lookAround()
  for (let wakes = 0; wakes < 4; wakes++) {
    time.next()
    await turn()
  }
  expect(looks).toEqual([0, 1_000, 2_000, 62_000, 122_000])
  void clock.sleep(10_000)
  for (let wakes = 0; wakes < 4; wakes++) {
    time.next()
    await turn()
  }
  expect(looks.slice(5)).toEqual([132_000, 133_000, 134_000])
})

test('neither what arrives by the network nor a look makes others look around', async () => {
  const time = new VirtualTime(START)
  const clock = time.clock()
  const looks: number[] = []
  const lookAround = async () => {
    for (;;) {
      looks.push(time.now() - START)
      await clock.sleep(1_000, undefined, 60_000)
    }
  }
  void lookAround()
  void clock.sleep(10_000, undefined, undefined, () => 'GET /jobs')
  void clock.sleep(20_000, undefined, 20_000)
  void clock.sleep(30_000).then(() => clock.sleep(1_500, undefined, undefined, () => 'PUT /segments'))
  for (let wakes = 0; wakes < 9; wakes++) {
    time.next()
    await turn()
  }
  expect(looks).toEqual([0, 1_000, 2_000, 30_000, 31_000, 32_000])
})

test('for who looks around without end, nothing is ever due', async () => {
  const time = new VirtualTime(START)
  void time.clock().sleep(5_000, undefined, NEVER)
  expect(time.next()).toBe(false)
})

test('nothing of a process that was killed wakes, now or later', async () => {
  const time = new VirtualTime(START)
  const clock = time.clock()
  let woken = 0
  const wake = () => {
    woken += 1
  }
  void clock.sleep(10).then(wake)
  clock.timer(20, wake)
  clock.kill()
  void clock.sleep(30).then(wake)
  clock.timer(40, wake)
  expect(time.next()).toBe(false)
  await turn()
  expect(woken).toBe(0)
})

test('a timer that is refreshed begins anew, and one that is cancelled never rings', async () => {
  const time = new VirtualTime(START)
  const clock = time.clock()
  const rung: number[] = []
  const timer = clock.timer(100, () => rung.push(time.now() - START))
  clock.timer(50, () => timer.refresh())
  clock.timer(60, () => rung.push(-1)).cancel()
  while (time.next()) await turn()
  expect(rung).toEqual([150])
})

test('an aborted sleep rejects with the reason and leaves nothing behind', async () => {
  const time = new VirtualTime(START)
  const clock = time.clock()
  const stop = new AbortController()
  const slept = clock.sleep(100, stop.signal)
  stop.abort(new Error('enough'))
  await expect(slept).rejects.toThrow('enough')
  await expect(clock.sleep(100, stop.signal)).rejects.toThrow('enough')
  expect(time.next()).toBe(false)
})
