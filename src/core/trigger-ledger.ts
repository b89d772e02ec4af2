import type { JsonObject } from './json.ts'
import type { FinalStatus } from './run.ts'

/** A trigger of a pipeline, by their names: what is remembered of it outlives its document. */
export interface TriggerRef {
  readonly pipeline: string
  readonly trigger: string
}

/** One time that a trigger fires: a slot of a schedule, a version of a file. */
export interface OccurrenceRef extends TriggerRef {
  /** Of a slot its time in UTC, `2026-03-08T07:00:00.000Z`; of a file what tells its versions apart. */
  readonly key: string
}

/**
 * `due`: a run is to be made of it as soon as that can be. `ran`: as `runId`. `skipped` and `missed`: `reason` says why.
 * `failed`: no run could be made of it; `reason` says why.
 */
export type OccurrenceState = 'due' | 'ran' | 'skipped' | 'missed' | 'failed'

export interface Occurrence extends OccurrenceRef {
  /** The slot, or when the file was found, in milliseconds since 1970. */
  readonly at: number
  readonly state: OccurrenceState
  /** One word, such as `overlap`, `paused`, `excluded` or `condition`, or a sentence where something failed. */
  readonly reason?: string
  readonly runId?: string
  /** Of a file its path, size and so on. */
  readonly detail?: JsonObject
  /** Something is left to do when its run has ended: a file is to be moved. */
  readonly open?: true
}

/** What is remembered of a trigger. */
export interface TriggerMemory extends TriggerRef {
  /** Every slot up to here is accounted for; in milliseconds since 1970. */
  readonly cursor?: number
  /** What the slots up to the cursor followed from, in the words of a schedule; empty after the trigger was taken out. */
  readonly times?: string
  /** Since when a person has paused it, in milliseconds since 1970. */
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
 * Where the occurrences of triggers are accounted for, each once. A run is recorded in it by `Engine.submit`, together
 * with the run itself. Every implementation passes test/contract/trigger-ledger-suite.ts.
 */
export interface TriggerLedger {
  memory(ref: TriggerRef): TriggerMemory | undefined
  memories(): readonly TriggerMemory[]
  /**
   * Adds or replaces occurrences and moves the cursor forward (never back). Atomic, durable when it resolves. An occurrence
   * that is there in another state than `due` stays as it is: nothing is accounted for twice.
   */
  note(ref: TriggerRef, change: TriggerChange): Promise<void>
  pause(ref: TriggerRef, at: number): Promise<void>
  unpause(ref: TriggerRef): Promise<void>
  find(ref: OccurrenceRef): Occurrence | undefined
  /** Newest first by `at`. */
  list(filter: OccurrenceFilter): readonly Occurrence[]
  /** Those to be run, oldest first. */
  due(ref: TriggerRef, limit: number): readonly Occurrence[]
  /** The triggers that have some to be run. */
  triggersDue(): readonly TriggerRef[]
  /** The open occurrences whose run has ended, or that never had one, with how it ended. */
  ended(ref: TriggerRef, limit: number): readonly { readonly occurrence: Occurrence; readonly status?: FinalStatus }[]
  /** Nothing is left to do for an open occurrence; `detail` replaces what it had. Durable when it resolves. */
  close(ref: OccurrenceRef, detail: JsonObject): Promise<void>
  /**
   * Forgets the oldest occurrences from before `before` (milliseconds since 1970), at most `limit`, and tells how many. Those
   * that are due or open, or whose run has not ended, stay. The content of a file that is forgotten may run again.
   */
  forget(options: { readonly before: number; readonly limit: number }): Promise<number>
}
