import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AudienceError } from '../../../src/core/errors.ts'
import type { Fire } from '../../../src/core/fire.ts'
import { Scheduler } from '../../../src/triggers/schedule/scheduler.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { live, START, world } from './scheduler-bench.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const NIGHTLY = { pipeline: 'p', trigger: 'nightly' }
const hourly = { cron: '0 * * * *' }

test('slots are fired when they come, and nothing before the first look counts as missed', async () => {
  const { clock, start, runs, occurrenceStore } = world(START + 30 * MINUTE)
  start(live(hourly), live({ pipeline: 'q', cron: '15,45 * * * *' }))
  await clock.pass(2 * HOUR)
  expect(runs.map(({ slot }) => slot)).toEqual([
    'q 31T12:45',
    'p 31T13:00',
    'q 31T13:15',
    'q 31T13:45',
    'p 31T14:00',
    'q 31T14:15',
  ])
  expect(runs.every(({ late }) => late === 0)).toBe(true)
  expect(await occurrenceStore.list({ limit: 10, state: ['missed', 'skipped', 'due'] })).toEqual([])
})

test('a firing carries the local time of its slot', async () => {
  const { clock, deps } = world()
  const fired: object[] = []
  const fire: Fire = async (firing) => {
    fired.push(firing)
    return { ...NIGHTLY, key: firing.key, at: firing.at, state: 'skipped' }
  }
  const schedule = live({ cron: '30 8 * * *', timezone: 'America/New_York' })
  const scheduler = new Scheduler({ ...deps, fire })
  scheduler.replace([schedule])
  await clock.pass(2 * HOUR)
  await scheduler.stop()
  const values = { date: '2026-01-31', time: '08:30', timezone: 'America/New_York' }
  expect(fired[0]).toMatchObject({ ...schedule, key: '2026-01-31T13:30:00.000Z', at: START + 90 * MINUTE, values })
})

test.each([
  ['skip', 'queue'],
  ['cancelRunning', 'queue'],
  ['queue', 'queue'],
  ['allow', 'allow'],
] as const)('what catches up waits for the run before instead of overlap: %s', async (overlap, expected) => {
  const { clock, deps, occurrenceStore } = world()
  await occurrenceStore.note(NIGHTLY, { cursor: START - 2 * HOUR })
  const fired: unknown[] = []
  const fire: Fire = (firing) => {
    fired.push([firing.key.slice(11, 13), firing.trigger.kind === 'schedule' && firing.trigger.overlap])
    return deps.fire(firing)
  }
  const scheduler = new Scheduler({ ...deps, fire })
  scheduler.replace([live({ ...hourly, missed: 'all', overlap })])
  await clock.pass(0)
  await scheduler.stop()
  expect(fired).toEqual([
    ['11', expected],
    ['12', overlap],
  ])
})

test('jitter moves the start, not the slot', async () => {
  const { clock, start, runs } = world()
  start(live({ ...hourly, jitterMs: 10 * MINUTE }))
  await clock.pass(3 * HOUR)
  expect(runs.map(({ slot }) => slot).slice(0, 2)).toEqual(['p 31T13:00', 'p 31T14:00'])
  for (const { late } of runs) expect(late).toBeGreaterThan(0)
  for (const { late } of runs) expect(late).toBeLessThanOrEqual(10 * MINUTE)
})

test('after a stop, the last of what was missed is run', async () => {
  const { clock, start, slots, states } = world()
  const first = start(live(hourly))
  await clock.pass(HOUR)
  await first.stop()
  expect(slots()).toEqual(['p 31T13:00'])
  await clock.pass(3 * HOUR + 10 * MINUTE)
  start(live(hourly))
  await clock.pass(0)
  expect(slots()).toEqual(['p 31T16:00'])
  expect(await states()).toEqual([
    '31T13:00 ran',
    '31T14:00 missed superseded',
    '31T15:00 missed superseded',
    '31T16:00 ran',
  ])
})

test('two schedulers on one occurrence store run each slot once', async () => {
  const { clock, start, slots } = world()
  start(live(hourly))
  start(live(hourly))
  await clock.pass(3 * HOUR)
  expect(slots()).toEqual(['p 31T13:00', 'p 31T14:00', 'p 31T15:00'])
})

test('a clock that is set forwards is noticed, and the slots it jumps over are accounted for', async () => {
  const { clock, start, slots, states } = world()
  start(live({ ...hourly, missed: 'all' }))
  await clock.pass(10 * MINUTE)
  clock.jump(3 * HOUR)
  await clock.pass(30 * SECOND)
  expect(slots()).toEqual(['p 31T13:00', 'p 31T14:00', 'p 31T15:00'])
  expect(await states()).toHaveLength(3)
})

test('a clock that is set back runs no slot again, and the next new one on time', async () => {
  const { clock, start, slots, runs } = world()
  start(live(hourly))
  await clock.pass(2 * HOUR + MINUTE)
  expect(slots()).toEqual(['p 31T13:00', 'p 31T14:00'])
  clock.jump(-90 * MINUTE)
  await clock.pass(100 * MINUTE)
  expect(slots()).toEqual([])
  await clock.pass(HOUR)
  expect(runs).toEqual([{ slot: 'p 31T15:00', late: 0 }])
})

test('a clock that was days ahead and is put right: what did not run then comes again, what ran does not', async () => {
  const { clock, start, slots, states, logged } = world()
  start(live())
  await clock.pass(SECOND)
  clock.jump(3 * DAY)
  await clock.pass(30 * SECOND)
  expect(slots()).toEqual(['p 03T02:00'])
  expect(await states()).toEqual(['01T02:00 missed expired', '02T02:00 missed expired', '03T02:00 ran'])
  clock.jump(-3 * DAY)
  await clock.pass(30 * SECOND)
  expect(await states()).toEqual(['03T02:00 ran'])
  expect(logged.filter(({ level }) => level === 'warn').map(({ text }) => text)).toEqual([
    'the clock was ahead and was set back: slots in the future will come again, unless they have already run',
  ])
  await clock.pass(4 * DAY)
  expect(slots()).toEqual(['p 01T02:00', 'p 02T02:00', 'p 04T02:00'])
})

test('a clock that was ahead and is put right while nothing runs: the next start lets the slots come again', async () => {
  const { clock, start, slots } = world()
  const first = start(live({ missed: 'none' }))
  await clock.pass(SECOND)
  clock.jump(2 * DAY)
  await clock.pass(30 * SECOND)
  await first.stop()
  clock.jump(-2 * DAY)
  start(live({ missed: 'none' }))
  await clock.pass(2 * DAY)
  expect(slots()).toEqual(['p 01T02:00', 'p 02T02:00'])
})

test.each([
  ['none', []],
  ['last', ['p 31T16:00']],
  ['all', ['p 31T14:00', 'p 31T15:00', 'p 31T16:00']],
] as const)(
  'slots that came while nothing ran after the clock was put right are caught up: missed: %s',
  async (missed, caughtUp) => {
    const { clock, start, slots, states } = world()
    const rules = { ...hourly, missed, catchupWindowMs: 4 * HOUR }
    const first = start(live(rules))
    await clock.pass(HOUR)
    await first.stop()
    clock.jump(9 * HOUR)
    const second = start(live(rules))
    await clock.pass(SECOND)
    await second.stop()
    slots()
    // The slots from 14:00 to 22:00 and the cursor are recorded.
    expect(await states()).toHaveLength(10)
    clock.jump(-9 * HOUR)
    await clock.pass(3 * HOUR + 30 * MINUTE)
    start(live(rules))
    await clock.pass(SECOND)
    expect(slots()).toEqual(caughtUp)
  },
)

test('a slot that waits for its jitter while the clock is put right is not lost', async () => {
  const { clock, start, slots } = world()
  start(live({ ...hourly, missed: 'none', jitterMs: 40 * MINUTE }))
  await clock.pass(HOUR + MINUTE)
  expect(slots()).toEqual([])
  clock.jump(DAY)
  await clock.pass(30 * SECOND)
  clock.jump(-DAY)
  await clock.pass(40 * MINUTE)
  expect(slots()).toEqual(['p 31T13:00'])
})

test('a pause that was set while the clock was ahead holds for the slots that come', async () => {
  const { clock, start, slots, states, occurrenceStore } = world()
  start(live(hourly))
  await clock.pass(MINUTE)
  await occurrenceStore.pause(NIGHTLY, START + 2 * DAY)
  await clock.pass(HOUR)
  expect([slots(), await states()]).toEqual([[], ['31T13:00 skipped paused']])
})

test('a slot that comes while the clock runs wild is fired once in all', async () => {
  const { clock, start, slots } = world()
  start(live({ cron: '*/10 * * * *', missed: 'all' }))
  for (const jump of [25, -40, 30, -5, 60, -60]) {
    await clock.pass(7 * MINUTE)
    clock.jump(jump * MINUTE)
  }
  await clock.pass(HOUR)
  // The clock was set back to 11:59, so 12:00 came, too.
  const all = Array.from({ length: 12 }, (_, count) => new Date(START + count * 10 * MINUTE).toISOString().slice(8, 16))
  expect(slots().toSorted()).toEqual(all.map((slot) => `p ${slot}`))
})

test('while it is paused slots are skipped, also those that a backfill wrote; then it goes on', async () => {
  const { clock, start, slots, states, occurrenceStore } = world()
  start(live(hourly))
  await occurrenceStore.pause(NIGHTLY, START)
  await occurrenceStore.note(NIGHTLY, {
    occurrences: [{ key: '2026-01-30T02:00:00.000Z', at: START - 34 * HOUR, state: 'due' }],
  })
  await clock.pass(HOUR)
  expect(slots()).toEqual([])
  expect(await states()).toEqual(['30T02:00 due', '31T13:00 skipped paused'])
  await occurrenceStore.unpause(NIGHTLY)
  await clock.pass(HOUR)
  expect(slots()).toEqual(['p 30T02:00', 'p 31T14:00'])
})

test('what is due is fired soon, oldest first, also where the slot was accounted for before', async () => {
  const { clock, start, slots, occurrenceStore } = world()
  start(live())
  await clock.pass(MINUTE)
  const due = (key: string, at: number) => ({ key, at, state: 'due' as const })
  await occurrenceStore.note(NIGHTLY, {
    occurrences: [
      due('2026-01-30T02:00:00.000Z#2', START - 34 * HOUR),
      due('2026-01-29T02:00:00.000Z', START - 58 * HOUR),
    ],
  })
  await clock.pass(30 * SECOND)
  expect(slots()).toEqual(['p 29T02:00', 'p 30T02:00#2'])
})

test('a slot that a backfill made due before it was looked at stays due', async () => {
  const { clock, start, slots, occurrenceStore, states } = world()
  await occurrenceStore.note(NIGHTLY, { cursor: START - 3 * HOUR })
  await occurrenceStore.note(NIGHTLY, {
    occurrences: [{ key: '2026-01-31T10:00:00.000Z', at: START - 2 * HOUR, state: 'due' }],
  })
  start(live({ ...hourly, missed: 'none' }))
  await clock.pass(0)
  expect(slots()).toEqual(['p 31T10:00', 'p 31T12:00'])
  expect(await states()).toEqual(['31T10:00 ran', '31T11:00 missed down', '31T12:00 ran'])
})

test('a run that cannot be recorded is tried again until it can, and is one run', async () => {
  const { clock, start, slots, state, states, logged } = world()
  start(live({ ...hourly, missed: 'none' }))
  state.jammed = new Error('the disk is full')
  await clock.pass(90 * MINUTE)
  expect([slots(), await states()]).toEqual([[], ['31T13:00 due']])
  expect(logged).toEqual([
    {
      level: 'error',
      text: 'the schedule cannot be processed at the moment; this will be retried, and until then its slots wait',
    },
  ])
  state.jammed = undefined
  await clock.pass(30 * SECOND)
  expect(slots()).toEqual(['p 31T13:00'])
})

test('of a database that is away the engine tells, so nothing is logged here', async () => {
  const { clock, start, slots, state, logged } = world()
  start(live({ ...hourly, missed: 'none' }))
  state.jammed = new AudienceError({ code: 'state-unreachable', kind: 'unavailable', message: 'away' })
  await clock.pass(90 * MINUTE)
  expect([slots(), logged]).toEqual([[], []])
  state.jammed = undefined
  await clock.pass(30 * SECOND)
  expect(slots()).toEqual(['p 31T13:00'])
})

test('a state that cannot be written loses no slot', async () => {
  const { clock, start, slots, state, states } = world()
  start(live(hourly))
  await clock.pass(MINUTE)
  state.broken = true
  await clock.pass(59 * MINUTE + 20 * SECOND)
  expect([slots(), await states()]).toEqual([[], []])
  state.broken = false
  await clock.pass(30 * SECOND)
  expect([slots(), await states()]).toEqual([['p 31T13:00'], ['31T13:00 ran']])
})

test('a document that changes: other times begin now, other rules hold at once, a removed one has no slots', async () => {
  const { clock, start, slots, states } = world()
  const scheduler = start(live(hourly))
  await clock.pass(70 * MINUTE)
  expect(slots()).toEqual(['p 31T13:00'])
  scheduler.replace([live({ cron: '*/30 * * * *' })])
  await clock.pass(25 * MINUTE)
  expect(slots()).toEqual(['p 31T13:30'])
  scheduler.replace([live({ cron: '*/30 * * * *', exclude: { dates: [], weekdays: ['saturday'] } })])
  await clock.pass(30 * MINUTE)
  expect(await states()).toContain('31T14:00 skipped excluded')
  scheduler.replace([])
  await clock.pass(2 * HOUR)
  scheduler.replace([live({ cron: '*/30 * * * *', missed: 'all' })])
  await clock.pass(30 * MINUTE)
  expect(slots()).toEqual(['p 31T16:30'])
  expect(await states()).toHaveLength(4)
})

test('a schedule that has been edited while nothing ran has no slots of the time before the stop', async () => {
  const { clock, start, slots, states } = world()
  const first = start(live({ cron: '0 2 * * *' }))
  await clock.pass(20 * HOUR)
  await first.stop()
  expect(slots()).toEqual(['p 01T02:00'])
  start(live({ cron: '0 7 * * *' }))
  await clock.pass(HOUR)
  expect(await states()).toEqual(['01T02:00 ran'])
})

test('a schedule that was taken out begins anew also after a restart, and one that has been edited meanwhile', async () => {
  const { clock, start, slots, states } = world()
  const first = start(live({ ...hourly, missed: 'all' }))
  await clock.pass(HOUR)
  first.replace([])
  await clock.pass(MINUTE)
  await first.stop()
  await clock.pass(5 * HOUR)
  const second = start(live({ ...hourly, missed: 'all' }))
  await clock.pass(HOUR)
  expect(slots()).toEqual(['p 31T13:00', 'p 31T19:00'])
  await second.stop()
  await clock.pass(3 * HOUR)
  start(live({ cron: '30 * * * *', missed: 'all' }))
  await clock.pass(HOUR)
  expect(slots()).toEqual(['p 31T22:30'])
  expect(await states()).toHaveLength(3)
})

test('a slot that waits for its jitter begins when the jitter is taken away, and is not late by that', async () => {
  const { clock, start, runs, states } = world()
  const scheduler = start(live({ ...hourly, missed: 'none', jitterMs: 40 * MINUTE }))
  await clock.pass(HOUR + MINUTE)
  expect(runs).toEqual([])
  scheduler.replace([live({ ...hourly, missed: 'none' })])
  await clock.pass(SECOND)
  expect(await states()).toEqual(['31T13:00 ran'])
  await clock.pass(HOUR)
  expect(runs.map(({ late }) => late)).toEqual([MINUTE, 0])
})

test('days off whose file is broken at the start: no slot is run before it can be read, none is lost', async () => {
  const { clock, start, slots, states } = world()
  const folder = tempFolder()
  const path = join(folder, 'holidays.txt')
  start(live({ ...hourly, file: join(folder, 'p.yaml'), exclude: { dates: [], weekdays: [], file: 'holidays.txt' } }))
  await clock.pass(61 * MINUTE)
  expect([slots(), await states()]).toEqual([[], []])
  writeFileSync(path, '2026-02-01')
  await clock.pass(30 * SECOND)
  expect(slots()).toEqual(['p 31T13:00'])
  rmSync(path)
  await clock.pass(12 * HOUR)
  expect((await states()).at(-1)).toBe('01T01:00 skipped excluded')
})

test('a thousand schedules at rest do nothing but look for what others have written', async () => {
  const { clock, start, state } = world()
  start(...Array.from({ length: 1000 }, (_, index) => live({ pipeline: `p${index}` })))
  await clock.pass(MINUTE)
  expect(clock.sleepers()).toBe(1)
  state.reads = 0
  await clock.pass(MINUTE)
  expect(state.reads).toBe(6)
})

test('what is stopped leaves no timer behind, and fires nothing any more', async () => {
  const { clock, start, slots } = world()
  const scheduler = start(live(hourly))
  await clock.pass(MINUTE)
  await scheduler.stop()
  expect(clock.sleepers()).toBe(0)
  await clock.pass(DAY)
  expect(slots()).toEqual([])
})
