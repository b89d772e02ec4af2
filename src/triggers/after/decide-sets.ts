import { ON_TIME_MS } from '../../core/duration.ts'
import type { Occurrence, TriggerRef } from '../../core/occurrence.ts'
import type { AfterTrigger } from '../../core/trigger.ts'
import { withoutUndefined } from '../../core/without-undefined.ts'
import type { SetMember } from '../../state/ends.ts'
import type { CountedEnd, EndSet } from './form-end-sets.ts'
import { type Mark, markDetail } from './mark.ts'

/** The outcome of a set. */
export interface SetDecision {
  readonly members: readonly SetMember[]
  readonly occurrence: Omit<Occurrence, keyof TriggerRef>
}

/**
 * Decides the outcomes of sets. A complete set is due, skipped or missed, as a slot would be at the time when the last
 * run of the set ended. A set that lacks a run is missed when its time is up. All other sets wait at least until
 * `nextAt`. The reason for `skipped` is `paused`. The reasons for `missed` are `incomplete`, `late` (an end whose set
 * had stopped waiting), and the reasons of slots: `down`, `superseded`, `expired`. Pure.
 */
export function decideSets(
  { sets, late }: { sets: readonly EndSet[]; late: readonly CountedEnd[] },
  trigger: AfterTrigger,
  { now, pausedAt = Number.POSITIVE_INFINITY }: { now: number; pausedAt: number | undefined },
): { readonly decided: readonly SetDecision[]; readonly nextAt: number } {
  const decided: SetDecision[] = []
  let nextAt = Number.POSITIVE_INFINITY
  const lastComplete = sets.findLast((set) => set.isComplete && completeAt(set) < pausedAt)
  for (const set of sets) {
    const overAt = (set.ends[0]?.at ?? now) + trigger.withinMs
    if (set.isComplete) {
      const at = completeAt(set)
      const became = becomesOf(at, trigger, { now, pausedAt, isLast: set === lastComplete })
      decided.push(decisionOf(set, { at, ...became }, trigger))
    } else if (overAt < now) {
      const became = overAt >= pausedAt ? PAUSED : ({ state: 'missed', reason: 'incomplete' } as const)
      decided.push(decisionOf(set, { at: overAt, ...became }, trigger))
    } else nextAt = Math.min(nextAt, overAt + 1)
  }
  for (const end of late) {
    const became = end.at >= pausedAt ? PAUSED : ({ state: 'missed', reason: 'late' } as const)
    const { members, occurrence } = decisionOf({ ends: [end], isComplete: false }, { at: end.at, ...became }, trigger)
    // The mark is left out, so that this end does not make another run with the same mark late.
    decided.push({ members: members.map((member) => ({ ...member, mark: undefined })), occurrence })
  }
  return { decided, nextAt }
}

const PAUSED = { state: 'skipped', reason: 'paused' } as const

type Became = Pick<Occurrence, 'state' | 'reason'>

function becomesOf(
  at: number,
  { missed, catchupWindowMs }: AfterTrigger,
  { now, pausedAt, isLast }: { now: number; pausedAt: number; isLast: boolean },
): Became {
  if (at >= pausedAt) return PAUSED
  if (now - at <= ON_TIME_MS) return { state: 'due' }
  if (missed === 'none') return { state: 'missed', reason: 'down' }
  if (now - at > catchupWindowMs) return { state: 'missed', reason: 'expired' }
  return missed === 'all' || isLast ? { state: 'due' } : { state: 'missed', reason: 'superseded' }
}

function decisionOf(
  { ends }: EndSet,
  became: Became & Pick<Occurrence, 'at'>,
  { pipelines }: AfterTrigger,
): SetDecision {
  const inOrder = pipelines.flatMap((name) => ends.filter(({ pipeline }) => pipeline === name))
  const mark = sharedMark(ends)
  const lacking = pipelines.filter((name) => ends.every(({ pipeline }) => pipeline !== name))
  const detail = withoutUndefined({
    runs: Object.fromEntries(inOrder.map(({ pipeline, runId }) => [pipeline, runId])),
    mark: mark && markDetail(mark),
    lacking: lacking.length > 0 ? lacking : undefined,
  })
  return {
    members: ends.map(({ runId, origin, mark: own }) => ({ runId, origin, mark: own?.text })),
    occurrence: { key: setKey(inOrder), detail, ...became },
  }
}

/** The key of a set in the occurrence store: its runs, in the order in which the trigger names their pipelines. */
function setKey(ends: readonly CountedEnd[]): string {
  return `runs ${ends.map(({ runId }) => runId).join('+')}`
}

/** The mark of the runs that have one; undefined if their marks differ, or if no run has a mark. */
function sharedMark(ends: readonly CountedEnd[]): Mark | undefined {
  const marks = ends.flatMap(({ mark }) => mark ?? [])
  return marks.every(({ text }) => text === marks[0]?.text) ? marks[0] : undefined
}

function completeAt({ ends }: EndSet): number {
  return ends.at(-1)?.at ?? 0
}
