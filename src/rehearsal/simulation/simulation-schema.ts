import { flag, type JsonSchema, list, object, text, time, type ValueOf, wholeNumber } from '../../core/json-schema.ts'
import { LIVED_BECAUSE } from './choose-days.ts'

/** What can happen to a slot. */
const FATES = [
  ...(['planned', 'leftOut', 'ran', 'skipped', 'missed', 'failed', 'cancelled', 'waiting', 'unfinished'] as const),
] as const
export type Fate = (typeof FATES)[number]

/** A reason for leaving out a slot. It is the only one that does not depend on whether the day is run in full. */
export const EXCLUDED = 'the day is excluded'

/** The problems with a schedule: fates of slots, and other problems with runs. */
export const PROBLEM_KINDS = [
  ...(['late', 'skipped', 'queued', 'missed', 'failed', 'cancelled', 'waiting', 'unfinished'] as const),
] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

const date = (description: string) => ({ type: 'string', format: 'date', description }) as const
const ms = (description: string) => wholeNumber(`${description} In milliseconds.`)
const counts = (description: string) =>
  ({ type: 'object', additionalProperties: wholeNumber('How many there are.'), description }) as const
const pipeline = text('The name of its pipeline.')
const trigger = text('The id of its trigger.')
const local = text('The time on the clock of its schedule: `2026-10-25 02:30 +02:00`.')

const slot = object(['at', 'local', 'date', 'fate'], {
  at: time('The time of the slot, without jitter.'),
  local,
  date: date('The day that it is for.'),
  fate: {
    enum: FATES,
    description:
      'planned: it was not run. leftOut: the document asks for no run, because the day is excluded or `if` is false. ran: its run succeeded. skipped: no run, because another one had not ended. missed: nothing ran at its time. failed: its run failed, or none could be made. cancelled: a later run took its place. waiting: its run waits for a person or a partner. unfinished: its run had not ended a day after the last day that was run.',
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
  pipeline,
  trigger,
  slots: wholeNumber('How many slots have the problem.'),
  first: text('The first of them, on the clock of its schedule.'),
  why: text('The reason for the first of them.'),
})

const schedule = object(
  ['pipeline', 'trigger', 'file', 'cron', 'timezone', 'overlap', 'slots', 'lived', 'fates', 'list'],
  {
    pipeline,
    trigger,
    file: text('The path of its document, relative to the project.'),
    cron: text('Its cron line.'),
    timezone: text('Its time zone.'),
    overlap: text('What happens if the previous run has not ended.'),
    deadline: text('The time of day by which a run must have ended.'),
    slots: wholeNumber('How many slots it has on all days, except excluded days.'),
    lived: wholeNumber('How many of them were run.'),
    tooMany: wholeNumber(
      'On days that were run in full: how many slots were not run, because the schedule has too many of them.',
    ),
    fates: counts('The number of these slots by fate; `late` and `queued` are counted as well.'),
    latestEnd: object(['local', 'endedAt', 'afterMs'], {
      local: text('The slot whose run ended latest, compared with its deadline or, without a deadline, with its slot.'),
      endedAt: text('When it ended, on the clock of the schedule.'),
      afterMs: ms('How long after its slot it ended.'),
      marginMs: {
        type: 'integer',
        description: 'How long before its deadline it ended; below 0 if after. In milliseconds.',
      },
    }),
    longestWait: object(['local', 'waitedMs'], {
      local: text('The slot whose run waited longest for other runs.'),
      waitedMs: ms('How long it waited.'),
    }),
    list: list(slot, 'Its slots in order.'),
  },
)

const move = object(['from', 'to', 'days', 'first'], {
  from: text('The time on its clock at the base.'),
  to: text('The time on its clock now.'),
  days: wholeNumber('On how many days.'),
  first: date('The first of them.'),
})
const timesOfDays = object(['time', 'days', 'first'], {
  time: text('The time on its clock.'),
  days: wholeNumber('On how many days.'),
  first: date('The first of them.'),
})
const figure = object(['what', 'before', 'after'], {
  what: text('What differs: a fate, `late`, `queued`, `latestEnd` or `longestWait`.'),
  before: text('At the base.'),
  after: text('Now.'),
})

const change = object(['pipeline', 'trigger', 'state', 'moved', 'added', 'gone', 'figures'], {
  pipeline,
  trigger,
  state: {
    enum: ['added', 'gone', 'changed'],
    description: 'The schedule is new, is gone, or differs.',
  },
  moved: list(move, 'Slots that come at another time of the same day.'),
  added: list(timesOfDays, 'Slots that are new.'),
  gone: list(timesOfDays, 'Slots that no longer come.'),
  figures: list(figure, 'Differences in the fates of slots on days that were run in full.'),
})

/** What `audience simulate --format json` prints. */
export const simulationSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Simulation',
  ...object(
    ['from', 'days', 'service', 'lists', 'lived', 'schedules', 'without', 'clockChanges', 'calendar', 'problems'],
    {
      from: date('The first day.'),
      days: wholeNumber('How many days.'),
      service: text('The service that was used: realistic, fast or a network file.'),
      lists: { enum: ['changed', 'same'], description: 'Whether each run found a different list.' },
      lived: list(
        object(['date', 'why'], {
          date: date('A day that was run in full.'),
          why: {
            enum: LIVED_BECAUSE,
            description:
              'The reason: it is one of the first days, clocks change on it, it has the most slots, or all days were asked for.',
          },
        }),
        'The days that were run in full. For other days, only the slots are known.',
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
          before: text('The local time at which the clock changes: `03:00 +02:00`.'),
          after: text('The local time that the clock then shows: `02:00 +01:00`.'),
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
          slots: wholeNumber('How many slots all schedules have on this day.'),
          isLived: flag('Whether it was run in full.'),
        }),
        'Each day.',
      ),
      peak: object(['at', 'requests', 'operations', 'pipelines'], {
        at: time('The minute with the most requests to the service, on days that were run in full.'),
        requests: wholeNumber('How many requests.'),
        operations: counts('By operation.'),
        pipelines: counts('By the pipeline whose runs sent them.'),
      }),
      queue: object(['at', 'runs'], {
        at: time('When the most runs waited for other runs.'),
        runs: wholeNumber('How many runs.'),
      }),
      problems: list(problem, 'The problems of schedules on days that were run in full.'),
      changes: object(['since', 'schedules'], {
        since: text('The git reference of the base.'),
        schedules: list(change, 'The differences from the base.'),
      }),
    },
  ),
} as const satisfies JsonSchema

export type Simulation = ValueOf<typeof simulationSchema>
export type SimulatedSchedule = Simulation['schedules'][number]
export type SimulatedSlot = SimulatedSchedule['list'][number]
export type SimulatedProblem = Simulation['problems'][number]
export type ScheduleChange = NonNullable<Simulation['changes']>['schedules'][number]
