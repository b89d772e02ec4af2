import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ScheduleTrigger } from '../../../src/core/trigger.ts'
import type { Scheduler } from '../../../src/triggers/schedule/scheduler.ts'
import { tries } from '../../support/tries.ts'
import { live, START, world } from './scheduler-bench.ts'
import { slotsBetween } from './slots.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** How long the clock is right at the end. */
const LAST = 3 * HOUR

const step = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 1, max: 90 }).map((seconds) => seconds * SECOND),
      fc.integer({ min: 1, max: 90 }).map((minutes) => minutes * MINUTE),
      fc.integer({ min: 1, max: 72 }).map((hours) => hours * HOUR),
      fc.integer({ min: 1, max: 30 }).map((days) => days * DAY),
    ),
    fc.constantFrom(1, 1, -1),
  )
  .map(([size, sign]) => size * sign)
const acts = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 100 * MINUTE }) }),
    fc.record({ act: fc.constant('jump' as const), ms: step }),
    fc.record({ act: fc.constant('correct' as const) }),
    fc.record({ act: fc.constantFrom('stop' as const, 'start' as const) }),
    fc.record({ act: fc.constant('kill' as const), writes: fc.nat(6) }),
  ),
  { maxLength: 12 },
)
const schedules = fc.record({
  cron: fc.constantFrom('0 * * * *', '*/20 * * * *', '15,16 * * * *', '45 1-23/2 * * *'),
  missed: fc.constantFrom<ScheduleTrigger['missed']>('none', 'last', 'all'),
  catchupWindowMs: fc.constantFrom(HOUR, DAY),
  jitterMs: fc.constantFrom(0, 0, 25 * MINUTE),
})

/** How long nothing runs after the clock is corrected. */
const away = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5 * HOUR }))

test('whatever the clock does, a slot has one run at most; one that comes by the right clock has one or is caught up; none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(schedules, acts, away, async (schedule, done, awayMs) => {
      const { clock, start, ran, state, occurrenceStore } = world()
      const document = live(schedule)
      let scheduler: Scheduler | undefined = start(document)
      let wrong = 0
      const leave = async () => {
        await scheduler?.stop()
        scheduler = undefined
        state.writesLeft = Number.POSITIVE_INFINITY
      }
      const set = (ms: number) => {
        clock.jump(ms)
        wrong += ms
      }
      await clock.pass(0)
      for (const one of done) {
        if (one.act === 'pass') await clock.pass(one.ms)
        if (one.act === 'jump') set(one.ms)
        if (one.act === 'correct') set(-wrong)
        if (one.act === 'stop') await leave()
        if (one.act === 'start') scheduler ??= start(document)
        // After these writes, all writes fail until the next act.
        if (one.act === 'kill') state.writesLeft = one.writes
      }
      if (state.writesLeft !== Number.POSITIVE_INFINITY || awayMs > 0) await leave()
      set(-wrong)
      const right = clock.now()
      await clock.pass(awayMs)
      scheduler ??= start(document)
      const from = clock.now()
      await clock.pass(LAST)
      await leave()

      const { cron, timezone: zone, jitterMs } = document.trigger
      const between = (after: number, before: number) =>
        slotsBetween({ cron, zone }, after + 1, before).map((slot) => new Date(slot).toISOString())
      // The scheduler reads the clock every ten seconds, and a slot starts after its jitter at the latest.
      const end = clock.now() - jitterMs - MINUTE
      expect(new Set(ran).size, `one run each: ${ran}`).toBe(ran.length)
      expect(ran).toEqual(expect.arrayContaining(between(from, end)))
      // The slots that came while nothing ran.
      const came = between(right, from - jitterMs - MINUTE)
      const since = new Date(from - document.trigger.catchupWindowMs + MINUTE).toISOString()
      const caughtUp = came.filter((slot) => slot >= since)
      const ranSince = ran.filter((slot) => slot >= since && slot <= new Date(from).toISOString())
      if (schedule.missed === 'all') expect(ran).toEqual(expect.arrayContaining(caughtUp))
      if (schedule.missed === 'last' && caughtUp.length > 0)
        expect(ranSince.toSorted().at(-1) ?? 'none').toSatisfy((last) => last >= (caughtUp.at(-1) ?? ''))
      const recorded = (await occurrenceStore.list({ limit: 1e6 })).map(({ key }) => key)
      expect(recorded).toEqual(expect.arrayContaining(between(START, end)))
    }),
    { numRuns: tries(40, 500) },
  )
})
