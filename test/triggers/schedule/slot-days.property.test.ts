import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localTime } from '../../../src/triggers/schedule/local-time.ts'
import { createSchedule } from '../../../src/triggers/schedule/schedule.ts'
import { timeZone } from '../../../src/triggers/schedule/time-zone.ts'
import { isLong } from '../../support/is-long.ts'
import { tries } from '../../support/tries.ts'
import { scheduleTrigger } from './a-schedule.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Zones whose clocks change, or once changed, at or across midnight; one of them skipped a day. */
const AT_MIDNIGHT = [
  ...['America/Nuuk', 'America/Santiago', 'America/Asuncion', 'America/Havana', 'America/Sao_Paulo'],
  ...['America/Scoresbysund', 'America/St_Johns', 'Atlantic/Azores', 'Africa/Cairo', 'Asia/Amman', 'Asia/Beirut'],
  ...['Asia/Damascus', 'Asia/Gaza', 'Asia/Tehran', 'Pacific/Apia'],
]

interface Change {
  readonly zone: string
  readonly at: number
  readonly beforeMs: number
  readonly afterMs: number
}

/** The changes of clocks from 1971 to 2037. */
function changesOf(zone: string): Change[] {
  const { offsetAt } = timeZone(zone)
  const found: Change[] = []
  for (let at = Date.UTC(1971, 0, 1); at < Date.UTC(2037, 0, 1); at += 20 * DAY_MS) {
    if (offsetAt(at) === offsetAt(at + 20 * DAY_MS)) continue
    let [same, other] = [at, at + 20 * DAY_MS]
    while (other - same > 1000) {
      const middle = Math.floor((same + other) / 2000) * 1000
      if (offsetAt(middle) === offsetAt(at)) same = middle
      else other = middle
    }
    found.push({ zone, at: other, beforeMs: offsetAt(other - 1), afterMs: offsetAt(other) })
  }
  return found
}

const touchesMidnight = ({ at, beforeMs, afterMs }: Change) => {
  const [from, to] = [at + beforeMs, at + afterMs].sort((a, b) => a - b) as [number, number]
  return Math.floor(to / DAY_MS) * DAY_MS >= from
}

const zones = isLong ? Intl.supportedValuesOf('timeZone') : AT_MIDNIGHT
const changes = zones.flatMap(changesOf).filter(touchesMidnight)

const dateOf = (localMs: number) => new Date(localMs).toISOString().slice(0, 10)

/** The times of four days before a midnight and of four after it, in order. */
function* shownTimes(midnight: number, hours: readonly number[], minutes: readonly number[]): Generator<number> {
  const times = hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * 60_000)).sort((a, b) => a - b)
  for (let day = midnight - 4 * DAY_MS; day < midnight + 4 * DAY_MS; day += DAY_MS)
    for (const time of times) yield day + time
}

test('there are changes of both kinds', () => {
  expect(changes.filter(({ beforeMs, afterMs }) => afterMs > beforeMs).length).toBeGreaterThan(100)
  expect(changes.filter(({ beforeMs, afterMs }) => afterMs < beforeMs).length).toBeGreaterThan(50)
})

test('a slot is excluded if and only if the days on the clock that it stands for are, in every gap and repeated hour', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...changes),
      fc.uniqueArray(fc.constantFrom<number[]>(0, 1, 2, 11, 22, 23), { minLength: 1, maxLength: 3 }),
      fc.uniqueArray(fc.constantFrom<number[]>(0, 1, 15, 30, 59), { minLength: 1, maxLength: 2 }),
      fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 3 }),
      (change, hours, minutes, days) => {
        const { zone, at, beforeMs, afterMs } = change
        const clock = timeZone(zone)
        const middle = Math.floor((at + beforeMs) / DAY_MS) * DAY_MS
        const dates = days.map((day) => dateOf(middle + day * DAY_MS))
        const cron = `${minutes.toSorted((a, b) => a - b).join(',')} ${hours.toSorted((a, b) => a - b).join(',')} * * *`
        const trigger = { ...scheduleTrigger(), cron, timezone: zone, exclude: { dates, weekdays: [] } }
        const schedule = createSchedule('p', trigger)
        // Every time of the cron line that clocks show, with its first moment. Times in a gap get the end of the gap.
        const expected = new Map<number, string>()
        for (const local of shownTimes(middle, hours, minutes)) {
          if (dates.includes(dateOf(local))) continue
          const isInGap = local >= at + beforeMs && local < at + afterMs
          const moment = isInGap ? at : local - beforeMs < at ? local - beforeMs : local - afterMs
          if (!expected.has(moment)) expected.set(moment, dateOf(local))
        }
        const [from, to] = [at - 2 * DAY_MS, at + 2 * DAY_MS]
        const found: [number, string][] = []
        for (const slot of schedule.slotsAfter(from)) {
          if (slot > to) break
          if (!schedule.isExcluded(slot)) found.push([slot, schedule.dayOf(slot).date])
        }
        const wanted = [...expected].filter(([slot]) => slot > from && slot <= to).sort(([a], [b]) => a - b)
        expect(found).toEqual(wanted)
        for (const [slot, date] of found) {
          const start = schedule.startOfDay(date)
          expect([slot >= start, localTime(clock, start).date >= date]).toEqual([true, true])
        }
      },
    ),
    { numRuns: tries(1000, 100_000) },
  )
})

test.each([
  ['America/Nuuk', '2027-03-27', '30 23 * * *', '2027-03-29T00:30:00.000Z'],
  ['America/Nuuk', '2027-03-28', '30 23 * * *', '2027-03-28T01:00:00.000Z'],
  ['Pacific/Apia', '2011-12-30', '0 12 * * *', '2011-12-30T22:00:00.000Z'],
  // The slot after the gap also belongs to its last day.
  ['America/Nuuk', '2027-03-27', '0 0,23 * * *', '2027-03-28T01:00:00.000Z'],
  ['Pacific/Apia', '2011-12-30', '0 0 * * *', '2011-12-30T10:00:00.000Z'],
])('%s without %s', (timezone, date, cron, next) => {
  const trigger = { ...scheduleTrigger(), cron, timezone, exclude: { dates: [date], weekdays: [] } }
  const schedule = createSchedule('p', trigger)
  const before = schedule.startOfDay(date) - 1
  for (const slot of schedule.slotsAfter(before - (date === '2027-03-28' ? DAY_MS / 2 : 0))) {
    if (schedule.isExcluded(slot)) continue
    expect(new Date(slot).toISOString()).toBe(next)
    return
  }
})
