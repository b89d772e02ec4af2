import { expect, test } from 'vitest'
import { beatingClock, createHeartbeats } from '../../../src/daemon/health/heartbeats.ts'
import { systemClock } from '../../../src/platform/clock.ts'

test('a loop is stalled once it has been silent for longer than it may, and no more when it turns again', () => {
  let now = 0
  const beats = createHeartbeats(() => now)
  const schedule = beats.loop('schedule', 1000)
  const watch = beats.loop('watch', 5000)
  now = 1000
  expect(beats.stalled()).toEqual([])
  now = 1001
  expect(beats.stalled()).toEqual([{ loop: 'schedule', silentMs: 1001, boundMs: 1000 }])
  schedule()
  now = 6000
  expect(beats.stalled().map(({ loop }) => loop)).toEqual(['schedule', 'watch'])
  schedule()
  watch()
  expect(beats.stalled()).toEqual([])
})

test('a loop beats each time that it goes to sleep on its clock', async () => {
  const slept: number[] = []
  let beats = 0
  const clock = beatingClock({ ...systemClock, now: () => 7, sleep: async (ms) => void slept.push(ms) }, () => {
    beats += 1
  })
  await clock.sleep(10)
  await clock.sleep(20)
  expect({ beats, slept, now: clock.now() }).toEqual({ beats: 2, slept: [10, 20], now: 7 })
})
