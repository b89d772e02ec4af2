import { expect, test } from 'vitest'
import { look, NEVER, type Timer, within } from '../../src/core/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { VirtualTime } from '../../src/rehearsal/virtual-time.ts'

const START = Date.UTC(2026, 9, 20)

/** A clock whose timers fire when the test says so. */
function handClock() {
  const rings = new Set<() => void>()
  const timer = (_ms: number, ring: () => void): Timer => {
    rings.add(ring)
    return { refresh: () => undefined, cancel: () => rings.delete(ring) }
  }
  const ringAll = () => {
    for (const ring of rings) ring()
  }
  return { clock: { timer }, rings, ringAll }
}

test('work within its time gives what it gives, and leaves no timer behind', async () => {
  const { clock, rings } = handClock()
  expect(await within(100, async () => 7, { clock })).toBe(7)
  await expect(within(100, () => Promise.reject(new Error('no')), { clock })).rejects.toThrow('no')
  expect(rings.size).toBe(0)
})

test('work that takes too long is told so by its signal, and its caller does not wait for it', async () => {
  const { clock, ringAll, rings } = handClock()
  let heard: AbortSignal | undefined
  const result = within(
    100,
    (signal) => {
      heard = signal
      return new Promise<void>(() => undefined)
    },
    { clock },
  )
  ringAll()
  await expect(result).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(heard).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } })
  expect(rings.size).toBe(0)
})

test('work ends early with the reason of the signal that it was given', async () => {
  const { clock, rings } = handClock()
  const stop = new AbortController()
  const result = within(100, () => new Promise<void>(() => undefined), { clock, signal: stop.signal })
  const reason = new Error('stop')
  stop.abort(reason)
  await expect(result).rejects.toBe(reason)
  await expect(within(100, async () => 7, { clock, signal: stop.signal })).rejects.toBe(reason)
  expect(rings.size).toBe(0)
})

test('who looks around rests so long, and no longer than until it is told to stop', async () => {
  const rests: (number | undefined)[][] = []
  const clock = {
    now: () => 0,
    sleep: async (ms: number, _signal?: AbortSignal, due?: number) => void rests.push([ms, due]),
  }
  const { signal } = new AbortController()
  await look(clock, 250, signal)
  await look(clock, 250, signal, 900)
  expect(rests).toEqual([
    [250, NEVER],
    [250, 900],
  ])
  const stop = new AbortController()
  const rest = look(systemClock, 60_000, stop.signal)
  stop.abort(new Error('stop'))
  await rest
})

test('a clock that cannot sleep stops who looks around: it does not look all the time', async () => {
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error('no clock')) }
  await expect(look(clock, 250, new AbortController().signal)).rejects.toThrow('no clock')
})

test('in a world, a limit passes as its time does', async () => {
  const time = new VirtualTime(START)
  const late = within(90_000, () => new Promise<void>(() => undefined), { clock: time.clock() }).catch(String)
  expect(time.next()).toBe(true)
  expect([await late, time.now() - START]).toEqual(['TimeoutError: it took longer than 90 seconds', 90_000])
})
