import type { JsonObject } from './json.ts'
import type { FinalStatus } from './run.ts'

/** A trigger of a pipeline, by their names. What is recorded about it outlives its document. */
export interface TriggerRef {
  readonly pipeline: string
  readonly trigger: string
}

/** One time that a trigger fires: a slot of a schedule, a version of a file. */
export interface OccurrenceRef extends TriggerRef {
  /** For a slot, its time in UTC, `2026-03-08T07:00:00.000Z`; for a file, a text that distinguishes its versions. */
  readonly key: string
}

/**
 * `due`: it needs a run as soon as possible. `ran`: as `runId`. `skipped` and `missed`: `reason` says why. `failed`: no
 * run could be created for it; `reason` says why.
 */
export type OccurrenceState = 'due' | 'ran' | 'skipped' | 'missed' | 'failed'

export interface Occurrence extends OccurrenceRef {
  /** The time of the slot, or the time when the file was found, in milliseconds since 1970. */
  readonly at: number
  readonly state: OccurrenceState
  /** One word, such as `overlap`, `paused`, `excluded` or `condition`, or a sentence where something failed. */
  readonly reason?: string
  readonly runId?: string
  /** For a file: its path, size and so on. */
  readonly detail?: JsonObject
  /** There is work left when its run has ended: a file must be moved. */
  readonly open?: true
}

/** What is recorded about a trigger. */
export interface TriggerMemory extends TriggerRef {
  /** Every slot up to here is accounted for; in milliseconds since 1970. */
  readonly cursor?: number
  /**
   * The definition that produced the slots up to the cursor, in the words of a schedule; empty after the trigger was
   * removed.
   */
  readonly times?: string
  /** When a person paused it, in milliseconds since 1970. */
  readonly pausedAt?: number
}

interface TriggerChange extends Pick<TriggerMemory, 'cursor' | 'times'> {
  readonly occurrences?: readonly Omit<Occurrence, keyof TriggerRef>[]
}

export interface OccurrenceFilter {
  readonly pipeline?: string
  readonly trigger?: string
  readonly state?: readonly OccurrenceState[]
  /** Both in milliseconds since 1970; the second is not included. */
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/**
 * Accounts for each occurrence of a trigger once. `Engine.submit` records a run here together with the run itself.
 * Every implementation passes test/contract/trigger-ledger-suite.ts.
 */
export interface TriggerLedger {
  memory(ref: TriggerRef): TriggerMemory | undefined
  memories(): readonly TriggerMemory[]
  /**
   * Adds or replaces occurrences and moves the cursor forward (never back). Atomic, durable when it resolves. An
   * existing occurrence in a state other than `due` stays unchanged: nothing is accounted for twice.
   */
  note(ref: TriggerRef, change: TriggerChange): Promise<void>
  pause(ref: TriggerRef, at: number): Promise<void>
  unpause(ref: TriggerRef): Promise<void>
  find(ref: OccurrenceRef): Occurrence | undefined
  /** Newest first by `at`. */
  list(filter: OccurrenceFilter): readonly Occurrence[]
  /** The due occurrences, oldest first. */
  due(ref: TriggerRef, limit: number): readonly Occurrence[]
  /** The triggers that have due occurrences. */
  triggersDue(): readonly TriggerRef[]
  /** The open occurrences whose run has ended, with its outcome, and those that never had a run. */
  ended(ref: TriggerRef, limit: number): readonly { readonly occurrence: Occurrence; readonly status?: FinalStatus }[]
  /** Closes an open occurrence: no work is left. `detail` replaces its previous detail. Durable when it resolves. */
  close(ref: OccurrenceRef, detail: JsonObject): Promise<void>
  /**
   * Removes the oldest occurrences from before `before` (milliseconds since 1970), at most `limit`, and returns how
   * many. Occurrences that are due or open, or whose run has not ended, stay. After its removal, a file with the same
   * content may run again.
   */
  forget(options: { readonly before: number; readonly limit: number }): Promise<number>
}
