import { relative } from 'node:path'
import { HOUR_MS } from '../../core/duration.ts'
import { type AudienceError, failedError } from '../../core/errors.ts'
import { isoTime } from '../../core/iso-time.ts'
import { triggerName } from '../../core/occurrence.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { WorldProcess } from '../world-process.ts'
import {
  chooseDays,
  type DaySpan,
  fallsInRest,
  type LivedDay,
  type Rest,
  restsOf,
  sharesOf,
  slotsByDate,
  spansOf,
} from './choose-days.ts'
import { AT_ONCE_MS, judgeSchedule, localText } from './judge-slots.ts'
import type { LivedSlot, LiveFound, LiveOrder, PeakMinute } from './live-order.ts'
import {
  type ClockChange,
  clockAround,
  clockChanges,
  type Dates,
  type PlannedSchedule,
  planSlots,
} from './plan-slots.ts'
import type { Simulation } from './simulation-schema.ts'

/** Valid documents of a project, whose slots are simulated. */
export interface SimulatedProject {
  readonly root: string
  /** The paths of these documents are absolute. */
  readonly pipelines: readonly Pipeline[]
  /** Throws if a file may not be used. */
  readonly checkFile: (path: string) => void
}

/** The process in which a project's simulated world runs. */
export type LiveProcess = WorldProcess<LiveOrder, LiveFound>

/** What is simulated, and how. */
export type SimulateOptions = Pick<LiveOrder, 'profile' | 'env' | 'lists' | 'service' | 'scratch'> & {
  readonly dates: Dates
  readonly isExact: boolean
  /** One process for each project. */
  readonly processes: readonly LiveProcess[]
}

/** Slots this close to a clock change are shown with it. */
const NEAR_CHANGE_MS = 3 * HOUR_MS

/** How many of the nearest slots are shown, because a schedule may have a slot each minute. */
const MOST_NEAR = 12

/** Projects with their slots, and the days that are run in full in each of them. */
interface Planned {
  readonly project: SimulatedProject
  readonly schedules: readonly PlannedSchedule[]
  readonly process: LiveProcess
}

/**
 * Simulates projects, such as one at a base and its current version. The same days are run in full in each of them.
 * Throws an AudienceError if a world cannot run.
 */
export async function simulate(
  projects: readonly SimulatedProject[],
  options: SimulateOptions,
): Promise<readonly Simulation[]> {
  const { dates, isExact, processes } = options
  const planned = projects.map((project, at): Planned => {
    const process = processes[at]
    if (!process) throw new Error('each project has a process')
    const schedules = planSlots(project.pipelines, dates, project.checkFile)
    return { project, schedules: schedules.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)), process }
  })
  const days = [
    ...new Map(
      planned
        .flatMap(({ schedules }) => chooseDays(schedules, { dates, changes: clockChanges(schedules, dates), isExact }))
        .map((day) => [day.date, day]),
    ).values(),
  ].toSorted((a, b) => (a.date < b.date ? -1 : 1))
  // The same part of a day is run in each project.
  const shares = isExact
    ? new Map<string, number>()
    : leastOf(planned.map(({ schedules }) => sharesOf(days, schedules)))
  const failures: unknown[] = []
  // Worlds have nothing in common, so they run at the same time.
  const found = await Promise.all(
    planned.map((one) =>
      simulateOne(one, days, shares, options).catch((error: unknown) => {
        failures.push(error)
        // The other processes end early, and report that.
        for (const each of processes) each.end()
      }),
    ),
  )
  if (failures.length > 0) throw failures[0]
  return found.flatMap((one) => one ?? [])
}

function nameOf({ schedule }: PlannedSchedule): string {
  return triggerName(schedule.ref)
}

async function simulateOne(
  { project, schedules, process }: Planned,
  chosen: readonly LivedDay[],
  shares: ReadonlyMap<string, number>,
  { dates, isExact: _, processes: __, ...options }: SimulateOptions,
): Promise<Simulation> {
  const counts = slotsByDate(schedules)
  const days = chosen.filter(({ date }) => (counts.get(date) ?? 0) > 0)
  const spans = schedules.length === 0 ? [] : spansOf(days, schedules)
  const rests = restsOf(shares, schedules)
  const lived = await live({ project, process }, { spans, rests }, options)
  const dateSet = new Set(days.map(({ date }) => date))
  const judged = schedules.map((planned) => {
    const of = lived.slots.get(nameOf(planned))
    const own = rests.filter((rest) => triggerName(rest) === nameOf(planned))
    return judgeSchedule(
      planned,
      {
        find: (at) => of?.get(at),
        isLivedDay: (date) => dateSet.has(date),
        isAtRest: (slot) => fallsInRest(own, slot),
        livedUntil: lived.livedUntil,
      },
      relative(project.root, planned.pipeline.file),
    )
  })
  const { service, lists } = options
  const areAllLived = [...counts.keys()].every((date) => dateSet.has(date))
  return {
    from: dates[0] ?? '',
    days: dates.length,
    service: typeof service === 'string' ? service : relative(project.root, service.network),
    lists,
    lived: days,
    schedules: judged.map(({ schedule }) => schedule),
    without: withoutSlots(project, { schedules, areAllLived }),
    clockChanges: clockChanges(schedules, dates).map((change) => describeChange(change, schedules)),
    calendar: dates.map((date) => ({ date, slots: counts.get(date) ?? 0, isLived: dateSet.has(date) })),
    peak: lived.peak && { ...lived.peak, at: isoTime(lived.peak.at) },
    queue: longestQueue(lived.slots),
    problems: judged.flatMap(({ problems }) => problems),
  }
}

/** The smallest share of each day. */
function leastOf(all: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const least = new Map<string, number>()
  for (const shares of all)
    for (const [date, share] of shares) least.set(date, Math.min(share, least.get(date) ?? share))
  return least
}

type SlotsOf = ReadonlyMap<string, ReadonlyMap<number, LivedSlot>>

interface Lived {
  /** Keyed by the name of the trigger, then by the moment of the slot. */
  readonly slots: SlotsOf
  livedUntil(at: number): number
  readonly peak: PeakMinute | undefined
}

async function live(
  { project: { root, pipelines }, process }: Pick<Planned, 'project' | 'process'>,
  { spans, rests }: { spans: readonly DaySpan[]; rests: readonly Rest[] },
  options: Omit<SimulateOptions, 'dates' | 'isExact' | 'processes'>,
): Promise<Lived> {
  const slots = new Map<string, Map<number, LivedSlot>>()
  const ends: { readonly span: DaySpan; readonly livedUntil: number }[] = []
  let peak: PeakMinute | undefined
  const [first, ...others] = pipelines.map(({ file }) => file)
  if (first === undefined || spans.length === 0) process.end()
  else {
    const order: LiveOrder = { root, pipelines: [first, ...others], spans, rests, ...options }
    const broken = await process.run(order, (found) => {
      if ('lived' in found) {
        ends.push(found)
        for (const slot of found.lived) {
          const of = slots.get(triggerName(slot)) ?? new Map<number, LivedSlot>()
          slots.set(triggerName(slot), of.set(slot.at, slot))
        }
      } else if ('peak' in found) peak = found.peak
    })
    if (broken) throw notLived(broken)
  }
  const livedUntil = (at: number) => ends.find(({ span }) => at >= span.from && at < span.to)?.livedUntil ?? at
  return { slots, livedUntil, peak }
}

function describeChange(
  change: ClockChange,
  schedules: readonly PlannedSchedule[],
): Simulation['clockChanges'][number] {
  const { date, timezone, at } = change
  const near = schedules
    .filter(({ trigger }) => trigger.timezone === timezone)
    .flatMap(({ pipeline, trigger, schedule, slots }) =>
      slots
        .filter((slot) => !slot.isOff && Math.abs(slot.at - at) <= NEAR_CHANGE_MS)
        .map((slot) => ({
          ms: slot.at,
          shown: { pipeline: pipeline.name, trigger: trigger.id, local: localText(schedule, slot.at) },
        })),
    )
    .toSorted((a, b) => Math.abs(a.ms - at) - Math.abs(b.ms - at) || a.ms - b.ms)
    .slice(0, MOST_NEAR)
    .toSorted((a, b) => a.ms - b.ms)
    .map(({ shown }) => shown)
  return { date, timezone, ...clockAround(change), slots: near }
}

function withoutSlots(
  { root, pipelines }: SimulatedProject,
  { schedules, areAllLived }: { schedules: readonly PlannedSchedule[]; areAllLived: boolean },
): Simulation['without'] {
  const uncounted = areAllLived ? '' : '; its runs count only on days that are run in full'
  return pipelines.flatMap((pipeline) => {
    const { name, triggers, otherTriggers = [], file } = pipeline
    const one = { pipeline: name, file: relative(root, file) }
    const watches = triggers.filter(({ kind }) => kind === 'watch').map(({ id }) => id)
    const afters = triggers.filter(({ kind }) => kind === 'after').map(({ id }) => id)
    const whys = [
      ...(afters.length > 0
        ? [`${afters.join(', ')}: comes after other pipelines and has no slots of its own${uncounted}`]
        : []),
      ...(watches.length > 0 ? [`${watches.join(', ')}: a watched folder has no slots; files start its runs`] : []),
      ...otherTriggers
        .filter(({ kind }) => kind === 'schedule')
        .map(({ id, profiles = [] }) => `${id}: only under the profile ${profiles.join(', ')}`),
      ...schedules
        .filter((planned) => planned.pipeline === pipeline && planned.slots.every(({ isOff }) => isOff))
        .map(({ trigger }) => `${trigger.id}: no slot in these days`),
      ...(triggers.length + otherTriggers.length === 0
        ? ['it has no schedule: a person or another pipeline starts it']
        : []),
    ]
    return whys.map((why) => ({ ...one, why }))
  })
}

/** The moment at which the largest number of runs was waiting for other runs. */
function longestQueue(slots: SlotsOf): Simulation['queue'] {
  const edges = all(slots).flatMap(({ run }) => {
    if (!run) return []
    const { submittedAt, beganAt = run.finishedAt ?? Number.POSITIVE_INFINITY } = run
    return beganAt - submittedAt < AT_ONCE_MS
      ? []
      : [
          { at: submittedAt, by: 1 },
          { at: beganAt, by: -1 },
        ]
  })
  let runs = 0
  let most: { at: number; runs: number } | undefined
  for (const { at, by } of edges.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
    runs += by
    if (runs > (most?.runs ?? 0)) most = { at, runs }
  }
  return most && { at: isoTime(most.at), runs: most.runs }
}

function all(slots: SlotsOf): readonly LivedSlot[] {
  return [...slots.values()].flatMap((of) => [...of.values()])
}

function notLived({ message, hint }: { message: string; hint: string | undefined }): AudienceError {
  return failedError('not-lived', message, hint)
}
