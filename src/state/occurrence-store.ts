import type { OccurrenceOutcome, RunStanding } from '../core/format/statuses.ts'
import type { JsonObject } from '../core/json.ts'
import type { Occurrence, OccurrenceRef, OccurrenceState, TriggerRef } from '../core/occurrence.ts'
import type { Actor, FinalStatus } from '../core/run.ts'
import type { Act } from './audit-log.ts'

/** The record of a trigger. */
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
  /** `keep`: an existing occurrence stays unchanged, also one that is due. */
  readonly known?: 'keep'
  /** What a person did here, for the audit log, by the number of occurrences that this added or replaced. */
  readonly act?: (noted: number) => Omit<Act, 'subject' | 'outcome'> | undefined
}

export interface OccurrenceFilter {
  readonly pipeline?: string
  readonly trigger?: string
  readonly state?: readonly OccurrenceState[]
  /** Only slots of schedules, only files of watched folders, or only sets of ended runs. */
  readonly kind?: 'slot' | 'file' | 'set'
  readonly runId?: string
  /** Both in milliseconds since 1970; the second is not included. */
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/**
 * Accounts for each occurrence of a trigger once. `Engine.submit` records a run here together with the run itself.
 * Every implementation passes test/contract/occurrence-store-suite.ts.
 */
export interface OccurrenceStore {
  memory(ref: TriggerRef): Promise<TriggerMemory | undefined>
  memories(): Promise<readonly TriggerMemory[]>
  /**
   * Adds or replaces occurrences and moves the cursor forward (never back). Atomic, durable when it resolves. An
   * existing occurrence in a state other than `due` stays unchanged: nothing is accounted for twice. Resolves with the
   * keys of those that were added or replaced; of two processes that add one, only the first gets its key.
   */
  note(ref: TriggerRef, change: TriggerChange): Promise<readonly string[]>
  /** With an actor, the audit log gets an entry. The same holds for `unpause`. */
  pause(ref: TriggerRef, at: number, actor?: Actor): Promise<void>
  unpause(ref: TriggerRef, actor?: Actor): Promise<void>
  find(ref: OccurrenceRef): Promise<Occurrence | undefined>
  /** Newest first by `at`. */
  list(filter: OccurrenceFilter): Promise<readonly ListedOccurrence[]>
  /** The due occurrences, oldest first. */
  due(ref: TriggerRef, limit: number): Promise<readonly Occurrence[]>
  /** The triggers that have due occurrences. */
  triggersDue(): Promise<readonly TriggerRef[]>
  /** The open occurrences whose run has ended, with its outcome, and those that never had a run. */
  ended(ref: TriggerRef, limit: number): Promise<readonly EndedOccurrence[]>
  /** Counts by trigger, in the order of their names; only triggers with a count. */
  summary(since: number): Promise<readonly TriggerSummary[]>
  /** Closes an open occurrence: no work is left. `detail` replaces its previous detail. Durable when it resolves. */
  close(ref: OccurrenceRef, detail: JsonObject): Promise<void>
  /**
   * Removes the oldest occurrences from before `before` (milliseconds since 1970), at most `limit`, and returns how
   * many. Occurrences that are due or open, or whose run is in the history, stay: a backfilled slot is old from the
   * beginning. After its removal, a file with the same content may run again.
   */
  forget(options: { readonly before: number; readonly limit: number }): Promise<number>
}

/** An occurrence, with the status of its run. */
export interface ListedOccurrence extends Occurrence {
  readonly outcome: OccurrenceOutcome
}

/** An occurrence whose run has ended, and how. */
export interface EndedOccurrence {
  readonly occurrence: Occurrence
  /** Absent if it never had a run, or its run was removed. */
  readonly status?: FinalStatus
}

export type RunOutcomes = Readonly<Partial<Record<RunStanding | 'ran', number>>>

export interface TriggerSummary extends TriggerRef {
  /** Waiting for a run, which starts as soon as possible. */
  readonly due: number
  /** Files in progress: taken, and not yet in `done` or `failed`. */
  readonly open: number
  /** The slots and files at or after `since`, by state. */
  readonly recent: Readonly<Record<Exclude<OccurrenceState, 'due'>, number>>
  /**
   * For the slots and files that ran, the statuses of their runs; `ran`: the run is no longer in the history. Only
   * counts above 0.
   */
  readonly runs: RunOutcomes
  /** Slots before `since` whose run was made at or after `since`, as by a backfill. */
  readonly caughtUp: number
}
