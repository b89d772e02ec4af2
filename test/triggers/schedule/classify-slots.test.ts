import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ScheduleTrigger } from '../../../src/core/trigger.ts'
import { classifySlots, type Slot } from '../../../src/triggers/schedule/classify-slots.ts'
import { createSchedule, jitterOf } from '../../../src/triggers/schedule/schedule.ts'
import { isLong } from '../../support/is-long.ts'
import { tries } from '../../support/tries.ts'
import { scheduleTrigger } from './a-schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Saturday, at noon. */
const START = Date.UTC(2026, 0, 31, 12)

interface Asked extends Partial<ScheduleTrigger> {
  readonly after?: number | undefined
  readonly now: number
  readonly pausedAt?: number
  readonly limit?: number
}

function decide({ after = START, now, pausedAt, limit, ...changes }: Asked) {
  const schedule = createSchedule('p', scheduleTrigger(changes))
  return classifySlots(schedule, { cursor: after, ...(pausedAt !== undefined && { pausedAt }) }, now, limit)
}

/** `02T02:00 due`, for tables; the month is left out. */
function line({ at, state, reason }: Slot): string {
  return [new Date(at).toISOString().slice(8, 16), state, reason].filter(Boolean).join(' ')
}

test('a trigger that is seen first begins now', () => {
  const schedule = createSchedule('p', scheduleTrigger())
  const nextAt = START + 14 * HOUR
  expect(classifySlots(schedule, {}, START)).toEqual({ slots: [], cursor: START, more: false, nextAt })
})

test('so does one whose times are others than those that its cursor belongs to', () => {
  const schedule = createSchedule('p', scheduleTrigger({ cron: '0 * * * *' }))
  const cursor = START - DAY
  expect(classifySlots(schedule, { cursor, times: schedule.times }, START).slots).toHaveLength(24)
  for (const times of ['', '0 2 * * * UTC once']) {
    expect(classifySlots(schedule, { cursor, times }, START)).toMatchObject({ slots: [], cursor: START })
  }
})

describe('what becomes of slots', () => {
  const hourly = { cron: '0 * * * *' }
  const late = 3 * HOUR + 10 * MINUTE
  test.each<[string, Asked, string[]]>([
    ['nothing has come', { now: START + HOUR }, []],
    ['to the millisecond', { ...hourly, now: START + HOUR }, ['31T13:00 due']],
    ['a millisecond before', { ...hourly, now: START + HOUR - 1 }, []],
    ['a minute late is on time', { ...hourly, missed: 'none', now: START + HOUR + MINUTE }, ['31T13:00 due']],
    ['more is not', { ...hourly, missed: 'none', now: START + HOUR + MINUTE + 1 }, ['31T13:00 missed down']],
    [
      'missed: none',
      { ...hourly, missed: 'none', now: START + late },
      ['31T13:00 missed down', '31T14:00 missed down', '31T15:00 missed down'],
    ],
    [
      'missed: last',
      { ...hourly, missed: 'last', now: START + late },
      ['31T13:00 missed superseded', '31T14:00 missed superseded', '31T15:00 due'],
    ],
    ['missed: all', { ...hourly, missed: 'all', now: START + late }, ['31T13:00 due', '31T14:00 due', '31T15:00 due']],
    [
      'missed: last, and the last is on time',
      { ...hourly, missed: 'last', now: START + 2 * HOUR },
      ['31T13:00 missed superseded', '31T14:00 due'],
    ],
    [
      'out of the catch-up window',
      { ...hourly, missed: 'all', catchupWindowMs: 2 * HOUR, now: START + late },
      ['31T13:00 missed expired', '31T14:00 due', '31T15:00 due'],
    ],
    ['the last one too', { missed: 'last', catchupWindowMs: HOUR, now: START + DAY }, ['01T02:00 missed expired']],
    [
      'on time counts, however short the window',
      { ...hourly, catchupWindowMs: 0, now: START + HOUR + 1 },
      ['31T13:00 due'],
    ],
    [
      'paused',
      { ...hourly, missed: 'all', pausedAt: START, now: START + 2 * HOUR },
      ['31T13:00 skipped paused', '31T14:00 skipped paused'],
    ],
    [
      'paused after some were missed',
      { ...hourly, missed: 'last', pausedAt: START + 2.5 * HOUR, now: START + late },
      ['31T13:00 missed superseded', '31T14:00 due', '31T15:00 skipped paused'],
    ],
    [
      'an excluded date',
      { exclude: { dates: ['2026-02-01'], weekdays: [] }, now: START + 2 * DAY - 10 * HOUR },
      ['01T02:00 skipped excluded', '02T02:00 due'],
    ],
    [
      'an excluded day of the week',
      { exclude: { dates: [], weekdays: ['sunday'] }, now: START + 2 * DAY - 10 * HOUR },
      ['01T02:00 skipped excluded', '02T02:00 due'],
    ],
    [
      'the last that is not excluded',
      { missed: 'last', exclude: { dates: [], weekdays: ['monday'] }, now: START + 2 * DAY, catchupWindowMs: 3 * DAY },
      ['01T02:00 due', '02T02:00 skipped excluded'],
    ],
    [
      'excluded by the clocks of its zone',
      { cron: '0 2 * * *', timezone: 'Asia/Tokyo', exclude: { dates: ['2026-02-01'], weekdays: [] }, now: START + DAY },
      ['31T17:00 skipped excluded'],
    ],
  ])('%s', (_what, asked, expected) => {
    expect(decide(asked).slots.map(line)).toEqual(expected)
  })
})

describe('jitter', () => {
  const trigger = scheduleTrigger({ cron: '0 * * * *', jitterMs: 5 * MINUTE })
  const slot = START + HOUR
  const jitter = jitterOf('p', trigger, slot)

  test('is stable for a slot, within its bound, and differs between slots and triggers', () => {
    const jitters = Array.from({ length: 200 }, (_, index) => jitterOf('p', trigger, slot + index * HOUR))
    expect(jitters[0]).toBe(jitter)
    expect(Math.max(...jitters)).toBeLessThanOrEqual(5 * MINUTE)
    expect(Math.min(...jitters)).toBeGreaterThanOrEqual(0)
    expect(new Set(jitters).size).toBeGreaterThan(190)
    const mean = jitters.reduce((sum, one) => sum + one, 0) / jitters.length
    expect(Math.abs(mean - 2.5 * MINUTE)).toBeLessThan(MINUTE / 2)
    expect(jitterOf('q', trigger, slot)).not.toBe(jitter)
    expect(jitterOf('p', { ...trigger, id: 'other' }, slot)).not.toBe(jitter)
  })

  test('the slot comes that much later, and keeps its time', () => {
    const early = decide({ ...trigger, now: slot + jitter - 1 })
    expect(early).toMatchObject({ slots: [], nextAt: slot + jitter, cursor: slot - 1 })
    expect(decide({ ...trigger, now: slot + jitter }).slots.map(line)).toEqual(['31T13:00 due'])
    expect(decide({ ...trigger, missed: 'none', now: slot + jitter + MINUTE }).slots.map(line)).toEqual([
      '31T13:00 due',
    ])
  })

  test('a slot that waits for the jitter of the one before comes with it, so it is on time', () => {
    const quick = scheduleTrigger({ cron: '15,16 * * * *', jitterMs: 25 * MINUTE, missed: 'none' })
    const [first, second] = [START + 75 * MINUTE, START + 76 * MINUTE]
    const [early, late] = [second, first].map((at) => at + jitterOf('p', quick, at))
    expect(late).toBeGreaterThan(Number(early) + MINUTE)
    const after = START + HOUR
    expect(decide({ ...quick, after, now: Number(late) }).slots.map(line)).toEqual(['31T13:15 due', '31T13:16 due'])
    const pausedAt = Number(late)
    expect(decide({ ...quick, after, now: pausedAt, pausedAt }).slots.map(line)).toEqual([
      '31T13:15 skipped paused',
      '31T13:16 skipped paused',
    ])
  })
})

test('a schedule of every minute that is months behind is accounted for in pieces, each slot once', () => {
  const days = isLong ? 365 : 60
  const now = START + days * DAY
  const schedule = createSchedule('p', scheduleTrigger({ cron: '* * * * *' }))
  let cursor = START
  let slots = 0
  // Checking each of half a million slots would take half a minute.
  const elsewhere: number[] = []
  const states: Record<string, number> = {}
  for (let more = true; more; ) {
    const decision = classifySlots(schedule, { cursor }, now)
    expect(decision.slots.length).toBeLessThanOrEqual(500)
    for (const slot of decision.slots) {
      slots += 1
      if (slot.at !== START + slots * MINUTE) elsewhere.push(slot.at)
      const fate = [slot.state, slot.reason].join(' ')
      states[fate] = (states[fate] ?? 0) + 1
    }
    ;({ cursor, more } = decision)
  }
  expect(elsewhere).toEqual([])
  const minutes = days * 24 * 60
  expect(states).toEqual({
    'missed expired': minutes - 1441,
    'missed superseded': 1439,
    // The last two came within the last minute.
    'due ': 2,
  })
  expect(cursor).toBe(now)
})

test('however often it is decided, every slot is accounted for once, in order, and none comes early', () => {
  const settings = fc.record({
    cron: fc.constantFrom('*/7 * * * *', '0 * * * *', '30 1,2 * * *', '0 12 * * 1-5'),
    timezone: fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe'),
    missed: fc.constantFrom('none' as const, 'last' as const, 'all' as const),
    jitterMs: fc.constantFrom(0, 30_000, 20 * MINUTE),
    catchupWindowMs: fc.constantFrom(0, HOUR, 30 * DAY),
    repeatedHour: fc.constantFrom('once' as const, 'twice' as const),
    exclude: fc.constantFrom({ dates: [], weekdays: [] }, { dates: [], weekdays: ['sunday' as const] }),
  })
  // Over the changes of November and April.
  const begin = fc.constantFrom(Date.UTC(2026, 9, 31, 12), Date.UTC(2026, 3, 4, 0))
  const steps = fc.array(fc.integer({ min: -10 * MINUTE, max: 9 * HOUR }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(settings, begin, steps, fc.integer({ min: 1, max: 20 }), (changes, start, jumps, limit) => {
      const schedule = createSchedule('p', scheduleTrigger(changes))
      const seen: number[] = []
      let cursor = start
      let now = start
      let latest = start
      for (const jump of jumps) {
        now += jump
        latest = Math.max(latest, now)
        for (let more = true; more; ) {
          const decision = classifySlots(schedule, { cursor }, now, limit)
          expect(decision.slots.filter(({ at }) => schedule.startOf(at) > now)).toEqual([])
          seen.push(...decision.slots.map(({ at }) => at))
          expect(decision.cursor).toBeGreaterThanOrEqual(cursor)
          ;({ cursor, more } = decision)
        }
      }
      const expected: number[] = []
      for (const slot of schedule.slotsAfter(start)) {
        if (schedule.startOf(slot) > latest) break
        expected.push(slot)
      }
      expect(seen).toEqual(expected)
    }),
    { numRuns: tries(100, 300) },
  )
})
