import { isFinalStatus, type OCCURRENCE_STATES } from './format/statuses.ts'
import type { JsonObject } from './json.ts'
import type { FinalStatus } from './run.ts'

/** A trigger, identified by its name and the name of its pipeline. Records about a trigger outlive its document. */
export interface TriggerRef {
  readonly pipeline: string
  readonly trigger: string
}

/** The trigger of a pipeline. */
export function triggerRefOf({
  pipeline,
  trigger,
}: {
  pipeline: { name: string }
  trigger: { id: string }
}): TriggerRef {
  return { pipeline: pipeline.name, trigger: trigger.id }
}

/** The name as people write it: `nightly/drop`. */
export function triggerName({ pipeline, trigger }: TriggerRef): string {
  return `${pipeline}/${trigger}`
}

/** Returns a function that finds the item for a trigger. */
export function byTrigger<One extends TriggerRef>(all: readonly One[]): (ref: TriggerRef) => One | undefined {
  const known = new Map(all.map((one) => [triggerName(one), one]))
  return (ref) => known.get(triggerName(ref))
}

/** Whether a trigger matches the given names of a pipeline and a trigger. A missing name matches any. */
export function matchesTrigger({ pipeline, trigger }: Partial<TriggerRef>, one: TriggerRef): boolean {
  return (pipeline ?? one.pipeline) === one.pipeline && (trigger ?? one.trigger) === one.trigger
}

/** One time that a trigger fires: a slot of a schedule, a version of a file. */
export interface OccurrenceRef extends TriggerRef {
  /** For a slot, its time in UTC, `2026-03-08T07:00:00.000Z`; for a file, a text that distinguishes its versions. */
  readonly key: string
}

/**
 * `due`: it needs a run as soon as possible. `ran`: it has the run `runId`. `skipped` and `missed`: `reason` says why.
 * `failed`: no run could be created for it; `reason` says why.
 */
export type OccurrenceState = (typeof OCCURRENCE_STATES)[number]

export interface Occurrence extends OccurrenceRef {
  /** The time of the slot, or the time when the file was found, in milliseconds since 1970. */
  readonly at: number
  readonly state: OccurrenceState
  /** One word, such as `overlap`, `paused`, `excluded` or `condition`, or a sentence if something failed. */
  readonly reason?: string
  readonly runId?: string
  /** For a file: its path, size and so on. */
  readonly detail?: JsonObject
  /** Set while work is left after its run has ended, such as moving a file. */
  readonly open?: true
}

/**
 * How the run of a closed occurrence ended, according to its details, which stay when the run is removed. Undefined if
 * they have no final status, as with a file that was skipped.
 */
export function runStatusIn({ detail }: Pick<Occurrence, 'detail'>): FinalStatus | undefined {
  const outcome = detail?.outcome
  return isFinalStatus(outcome) ? outcome : undefined
}
