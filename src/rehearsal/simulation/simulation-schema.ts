import type { FrozenStatic, JsonSchema } from '../../core/json-schema.ts'
import { count, flag, list, object, text, time } from '../../core/schema-parts.ts'
import { LIVED_BECAUSE } from './choose-days.ts'

/** What can become of a slot. */
const FATES = [
  ...(['planned', 'leftOut', 'ran', 'skipped', 'missed', 'failed', 'cancelled', 'waiting', 'unfinished'] as const),
] as const
export type Fate = (typeof FATES)[number]

/** The problems of a schedule: fates of slots, and other problems of runs. */
export const PROBLEM_KINDS = [
  ...(['late', 'skipped', 'queued', 'missed', 'failed', 'cancelled', 'waiting', 'unfinished'] as const),
] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

const date = (description: string) => ({ type: 'string', format: 'date', description }) as const
const ms = (description: string) => count(`${description} In milliseconds.`)
const counts = (description: string) =>
  ({ type: 'object', additionalProperties: count('How many.'), description }) as const
const pipeline = text('The name of its pipeline.')
const trigger = text('The id of its trigger.')
const local = text('The time by the clock of its schedule: `2026-10-25 02:30 +02:00`.')

const slot = object(['at', 'local', 'date', 'fate'], {
  at: time('When it comes, without jitter.'),
  local,
  date: date('The day that it is for.'),
  fate: {
    enum: FATES,
    description:
      'planned: it was not lived. leftOut: the document asks for no run, because the day is excluded or `if` is false. ran: its run succeeded. skipped: no run, because another one had not ended. missed: nothing ran at its time. failed: its run failed, or none could be made. cancelled: a later run took its place. waiting: its run waits for a person or a partner. unfinished: its run had not ended a day after the last lived one.',
  },
  why: text('Why it did not succeed.'),
  isLate: flag('Its run had not ended by the deadline.'),
  startsAt: time('When its run starts, if that is later.'),
  endedAt: time('When its run ended.'),
  waitedMs: ms('How long its run waited for others.'),
})

const problem = object(['kind', 'pipeline', 'trigger', 'slots', 'first', 'why'], {
  kind: {
    enum: PROBLEM_KINDS,
    description:
      'late: it had not ended by the deadline. queued: it waited for other runs. Otherwise the fate of a slot.',
  },
  ...{ pipeline, trigger },
  slots: count('How many slots of the lived days.'),
  first: text('The first of them, by the clock of its schedule.'),
  why: text('Why that one.'),
})

const schedule = object(
  ['pipeline', 'trigger', 'file', 'cron', 'timezone', 'overlap', 'slots', 'lived', 'fates', 'list'],
  {
    ...{ pipeline, trigger },
    file: text('The path of its document, relative to the project.'),
    cron: text('Its cron line.'),
    timezone: text('Its time zone.'),
    overlap: text('What happens if the run before has not ended.'),
    deadline: text('The time of day by which a run must have ended.'),
    slots: count('How many slots it has in all days, without those on excluded days.'),
    lived: count('How many of them were lived.'),
    tooMany: count('How many slots of lived days were not lived, because the schedule has too many of them.'),
    fates: counts('What became of those, by fate; `late` and `queued` are counted as well.'),
    latestEnd: object(['local', 'endedAt', 'afterMs'], {
      local: text(
        'The slot whose run ended last: nearest to its deadline or furthest beyond; without a deadline, furthest after its slot.',
      ),
      endedAt: text('When it ended, by the clock of the schedule.'),
      afterMs: ms('How long after its slot that was.'),
      marginMs: { type: 'integer', description: 'How long before its deadline; below 0, after it. In milliseconds.' },
    }),
    longestWait: object(['local', 'waitedMs'], {
      local: text('The slot whose run waited longest for other runs.'),
      waitedMs: ms('How long.'),
    }),
    list: list(slot, 'Its slots in order.'),
  },
)

const move = object(['from', 'to', 'days', 'first'], {
  from: text('The time on its clock before.'),
  to: text('The time now.'),
  days: count('On how many days.'),
  first: date('The first of them.'),
})
const timesOfDays = object(['time', 'days', 'first'], {
  time: text('The time on its clock.'),
  days: count('On how many days.'),
  first: date('The first of them.'),
})
const figure = object(['what', 'before', 'after'], {
  what: text('What differs: a fate, `late`, `queued`, `latestEnd` or `longestWait`.'),
  before: text('At the base.'),
  after: text('Now.'),
})

const change = object(['pipeline', 'trigger', 'state', 'moved', 'added', 'gone', 'figures'], {
  ...{ pipeline, trigger },
  state: {
    enum: ['added', 'gone', 'changed'],
    description: 'The schedule is new, is gone, or differs.',
  },
  moved: list(move, 'Slots that come at another time of the same day.'),
  added: list(timesOfDays, 'Slots that are new.'),
  gone: list(timesOfDays, 'Slots that do not come any more.'),
  figures: list(figure, 'Where the fates of slots on lived days differ.'),
})

/** What `audience simulate --format json` prints. */
export const simulationSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Simulation',
  ...object(
    ['from', 'days', 'service', 'lists', 'lived', 'schedules', 'without', 'clockChanges', 'calendar', 'problems'],
    {
      from: date('The first day.'),
      days: count('How many days.'),
      service: text('The service that was lived with: realistic, fast or a network file.'),
      lists: { enum: ['changed', 'same'], description: 'Whether each run found another list.' },
      lived: list(
        object(['date', 'why'], {
          date: date('A day whose runs were rehearsed.'),
          why: {
            enum: LIVED_BECAUSE,
            description: 'One of the first, clocks change, the one with the most slots, or all.',
          },
        }),
        'The days that were lived. Of the others, only the slots are known.',
      ),
      schedules: list(schedule, 'The schedules, by pipeline and trigger.'),
      without: list(
        object(['pipeline', 'file', 'why'], {
          pipeline,
          file: text('The path of the document.'),
          why: text('Why it has no slots.'),
        }),
        'Documents without schedules, and triggers without slots.',
      ),
      clockChanges: list(
        object(['date', 'timezone', 'before', 'after', 'slots'], {
          date: date('The day.'),
          timezone: text('The zone.'),
          before: text('The clock when it changes: `03:00 +02:00`.'),
          after: text('What it shows then: `02:00 +01:00`.'),
          slots: list(
            object(['pipeline', 'trigger', 'local'], { pipeline, trigger, local }),
            'The slots within three hours, at most the twelve nearest.',
          ),
        }),
        'When clocks change.',
      ),
      calendar: list(
        object(['date', 'slots', 'isLived'], {
          date: date('A day.'),
          slots: count('How many slots of all schedules it has.'),
          isLived: flag('Whether it was lived.'),
        }),
        'Each day.',
      ),
      peak: object(['at', 'requests', 'operations', 'pipelines'], {
        at: time('The minute of the lived days with the most requests to the service.'),
        requests: count('How many.'),
        operations: counts('By operation.'),
        pipelines: counts('By the pipeline whose runs sent them.'),
      }),
      queue: object(['at', 'runs'], {
        at: time('When the most runs waited for other runs.'),
        runs: count('How many.'),
      }),
      problems: list(problem, 'The problems of schedules on the lived days.'),
      changes: object(['since', 'schedules'], {
        since: text('The git reference that is compared with.'),
        schedules: list(change, 'What differs from it.'),
      }),
    },
  ),
} as const satisfies JsonSchema

export type Simulation = FrozenStatic<typeof simulationSchema>
export type SimulatedSchedule = Simulation['schedules'][number]
export type SimulatedSlot = SimulatedSchedule['list'][number]
export type SimulatedProblem = Simulation['problems'][number]
export type ScheduleChange = NonNullable<Simulation['changes']>['schedules'][number]
