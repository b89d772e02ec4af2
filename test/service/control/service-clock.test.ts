import { expect, test } from 'vitest'
import type { Clock } from '../../../src/core/clock.ts'
import { createServiceClock, RUNNING_WITH_THE_MACHINE } from '../../../src/service/control/service-clock.ts'

/** Each read returns a millisecond more. */
function passingTime(): Clock {
  let ms = 1000
  return { now: () => ms++, sleep: () => Promise.reject(new Error('nothing sleeps here')) }
}

test('a clock that runs is ahead by what it was moved, however long a look at it takes', () => {
  const clock = createServiceClock(passingTime(), RUNNING_WITH_THE_MACHINE, () => undefined)
  expect(clock.aheadMs()).toBe(0)
  clock.thaw()
  expect(clock.aheadMs()).toBe(0)
  clock.set({ offsetMs: 500, frozenAt: null })
  clock.thaw()
  expect(clock.aheadMs()).toBe(500)
})

test('a frozen clock falls behind the machine, and stays behind by as much when it runs again', () => {
  const kept: object[] = []
  const clock = createServiceClock(passingTime(), { offsetMs: 0, frozenAt: 1000 }, (state) => void kept.push(state))
  expect([clock.aheadMs(), clock.aheadMs()]).toEqual([0, -1])
  clock.thaw()
  expect(kept).toEqual([{ offsetMs: -2, frozenAt: null }])
  expect(clock.aheadMs()).toBe(-2)
})
