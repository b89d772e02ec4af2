import { formatDuration } from '../../core/format/duration-text.ts'
import { isoTime } from '../../core/iso-time.ts'
import { deadlineOf } from '../../triggers/schedule/deadline-of.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import type { LivedRun, LivedSlot } from './live-order.ts'
import type { PlannedSchedule, PlannedSlot } from './plan-slots.ts'
import type { Fate, ProblemKind, SimulatedProblem, SimulatedSchedule, SimulatedSlot } from './simulation-schema.ts'
import { EXCLUDED } from './simulation-schema.ts'

/** A shorter wait does not count as a wait: the run gets its turn at practically the same moment. */
export const AT_ONCE_MS = 1_000

/** What happened to the slots of one schedule on days that are run in full, by the moment of a slot. */
export interface LivedSchedule {
  /** What happened to a slot; undefined if nothing is recorded. */
  find(at: number): LivedSlot | undefined
  isLivedDay(date: string): boolean
  /** The schedule is not run at that time, although the day is run in full, because it has too many slots. */
  isAtRest(slot: { at: number; startsAt: number }): boolean
  /** The moment at which the simulation stopped waiting for the runs of a slot. */
  livedUntil(at: number): number
}

interface Judged extends SimulatedSlot {
  readonly ms: number
  readonly run: LivedRun | undefined
  readonly deadline: number | undefined
}

/** What happened to the slots of a schedule. `file`: the path of its document, as shown to people. Pure. */
export function judgeSchedule(
  planned: PlannedSchedule,
  lived: LivedSchedule,
  file: string,
): { readonly schedule: SimulatedSchedule; readonly problems: readonly SimulatedProblem[] } {
  const { pipeline, trigger, schedule } = planned
  const slots = planned.slots.map((slot) => judgeSlot(slot, planned, lived))
  const onLived = slots.filter(({ fate }) => fate !== 'planned' && fate !== 'leftOut')
  const tooMany = slots.filter(({ fate, date }) => fate === 'planned' && lived.isLivedDay(date)).length
  const name = { pipeline: pipeline.name, trigger: trigger.id }
  return {
    schedule: {
      ...name,
      file,
      cron: trigger.cron,
      timezone: trigger.timezone,
      overlap: trigger.overlap,
      deadline: trigger.deadline,
      slots: planned.slots.filter(({ isOff }) => !isOff).length,
      lived: onLived.length,
      tooMany: tooMany || undefined,
      fates: countsOf(onLived),
      latestEnd: latestEnd(onLived, schedule),
      longestWait: longestWait(onLived),
      list: slots.map(({ ms: _, run: __, deadline: ___, ...slot }) => slot),
    },
    problems: problemsOf(onLived).map((problem) => ({ ...problem, ...name })),
  }
}

/** `2026-10-25 02:30 +02:00`, by the clock of a schedule. */
export function localText(schedule: Schedule, at: number): string {
  const { date, time, offset } = schedule.localTime(at)
  return `${date} ${time} ${offset}`
}

function judgeSlot(
  { at, date, isOff }: PlannedSlot,
  { trigger, schedule }: PlannedSchedule,
  lived: LivedSchedule,
): Judged {
  const startsAt = schedule.startOf(at)
  const isLived = !isOff && lived.isLivedDay(date) && !lived.isAtRest({ at, startsAt })
  const found = isLived ? lived.find(at) : undefined
  const { fate, why } = isOff ? { fate: 'leftOut' as const, why: EXCLUDED } : fateOf(found, isLived)
  const { run } = found ?? {}
  const deadline = deadlineOf(trigger, at)
  const ended = run?.finishedAt
  const hasRun = run !== undefined
  const isLate = hasRun && deadline !== undefined && (ended ?? lived.livedUntil(at)) > deadline
  const waited = hasRun ? (run.beganAt ?? lived.livedUntil(at)) - run.submittedAt : 0
  return {
    at: isoTime(at),
    local: localText(schedule, at),
    date,
    fate,
    why,
    isLate: isLate || undefined,
    startsAt: startsAt === at ? undefined : isoTime(startsAt),
    endedAt: isoTime(ended),
    waitedMs: waited >= AT_ONCE_MS ? waited : undefined,
    ms: at,
    run,
    deadline,
  }
}

function fateOf(found: LivedSlot | undefined, isLived: boolean): { readonly fate: Fate; readonly why?: string } {
  if (!isLived) return { fate: 'planned' }
  if (!found) return { fate: 'missed', why: 'nothing is recorded about it' }
  const { state, reason, run } = found
  if (run) return fateOfRun(run)
  switch (state) {
    case 'skipped':
      return reason === 'excluded' || reason === 'condition'
        ? { fate: 'leftOut', why: reason === 'excluded' ? EXCLUDED : 'its `if` is false' }
        : { fate: 'skipped', why: WHY_SKIPPED[reason ?? ''] ?? reason ?? 'no run was made' }
    case 'failed':
      return { fate: 'failed', why: reason ?? 'no run could be made' }
    case 'missed':
      return { fate: 'missed', why: reason ?? 'nothing ran at its time' }
    default:
      return { fate: 'unfinished', why: 'it is still due' }
  }
}

const WHY_SKIPPED: Readonly<Record<string, string>> = {
  overlap: 'the run before it had not ended',
  group: 'its concurrency group was full',
}

function fateOfRun({ status, error, isAtPartner }: LivedRun): { readonly fate: Fate; readonly why?: string } {
  switch (status) {
    case 'succeeded':
      return { fate: 'ran' }
    case 'failed':
      return { fate: 'failed', why: error ?? 'its run failed' }
    case 'cancelled':
      return { fate: 'cancelled', why: error ?? 'its run was cancelled' }
    case 'waiting':
      return { fate: 'waiting', why: 'its run waits for a person' }
    default:
      return isAtPartner
        ? { fate: 'waiting', why: 'its run waits for a partner' }
        : { fate: 'unfinished', why: status === 'queued' ? 'its run is still queued' : 'its run goes on' }
  }
}

/** The problems with a slot. */
function problemsIn(slot: Pick<SimulatedSlot, 'fate' | 'isLate' | 'waitedMs'>): readonly ProblemKind[] {
  const { fate, isLate, waitedMs } = slot
  return [
    ...(isLate ? (['late'] as const) : []),
    ...(waitedMs === undefined ? [] : (['queued'] as const)),
    ...(fate === 'planned' || fate === 'leftOut' || fate === 'ran' ? [] : [fate]),
  ]
}

function countsOf(slots: readonly SimulatedSlot[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const slot of slots)
    for (const kind of slot.fate === 'ran' ? ['ran', ...problemsIn(slot)] : problemsIn(slot))
      counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function problemsOf(slots: readonly Judged[]): Omit<SimulatedProblem, 'pipeline' | 'trigger'>[] {
  const kinds = new Map<ProblemKind, Judged[]>()
  for (const slot of slots) for (const kind of problemsIn(slot)) kinds.set(kind, [...(kinds.get(kind) ?? []), slot])
  return [...kinds].flatMap(([kind, all]) => {
    const [first] = all
    return first ? [{ kind, slots: all.length, first: first.local, why: whyOf(kind, first) }] : []
  })
}

function whyOf(kind: ProblemKind, { run, deadline, waitedMs = 0, why = '' }: Judged): string {
  if (kind === 'queued') return `it waited ${formatDuration(waitedMs)} for other runs`
  if (kind !== 'late') return why
  return run?.finishedAt === undefined || deadline === undefined
    ? 'it had not ended'
    : `it ended ${formatDuration(run.finishedAt - deadline)} after its deadline`
}

function latestEnd(slots: readonly Judged[], schedule: Schedule): SimulatedSchedule['latestEnd'] {
  const ended = slots.flatMap(({ ms, local, run, deadline }) =>
    run?.finishedAt === undefined
      ? []
      : [{ local, at: run.finishedAt, afterMs: run.finishedAt - ms, marginMs: deadline && deadline - run.finishedAt }],
  )
  const [last] = ended.toSorted(
    (a, b) => (a.marginMs ?? 0) - (b.marginMs ?? 0) || b.afterMs - a.afterMs || (a.local < b.local ? -1 : 1),
  )
  return (
    last && { local: last.local, endedAt: localText(schedule, last.at), afterMs: last.afterMs, marginMs: last.marginMs }
  )
}

function longestWait(slots: readonly SimulatedSlot[]): SimulatedSchedule['longestWait'] {
  const waited = slots.flatMap(({ local, waitedMs }) => (waitedMs === undefined ? [] : [{ local, waitedMs }]))
  return waited.toSorted((a, b) => b.waitedMs - a.waitedMs)[0]
}
