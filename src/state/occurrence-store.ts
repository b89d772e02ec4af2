import type { OccurrenceOutcome, RunStanding } from '../core/format/statuses.ts'
import type { JsonObject } from '../core/json.ts'
import type { Occurrence, OccurrenceRef, OccurrenceState, TriggerRef } from '../core/occurrence.ts'
import type { Actor, FinalStatus } from '../core/run.ts'
import type { Act } from './audit-log.ts'

/** What is recorded about a trigger. */
export interface TriggerMemory extends TriggerRef {
  /** Every slot up to this time is accounted for; in milliseconds since 1970. */
  readonly cursor?: number
  /**
   * The definition that produced the slots up to the cursor, as the text of a schedule; empty after the trigger was
   * removed.
   */
  readonly times?: string
  /** When a person paused it, in milliseconds since 1970. */
  readonly pausedAt?: number
}

export interface TriggerChange extends Pick<TriggerMemory, 'cursor' | 'times'> {
  readonly occurrences?: readonly Omit<Occurrence, keyof TriggerRef>[]
  /**
   * With `keep`, an existing occurrence stays unchanged, even if it is due. With `missed`, it is replaced only if it
   * was missed, and no backfill of the slot ran or is due.
   */
  readonly known?: 'keep' | 'missed'
  /**
   * What a person did here, for the audit log. The argument is the number of occurrences that were added or replaced.
   */
  readonly act?: (noted: number) => Omit<Act, 'subject' | 'outcome'> | undefined
}

export interface OccurrenceFilter {
  readonly pipeline?: string
  readonly trigger?: string
  readonly state?: readonly OccurrenceState[]
  /** Only slots of schedules, only files of watched folders, or only sets of ended runs. */
  readonly kind?: 'slot' | 'file' | 'set'
  readonly runId?: string
  /** `from` and `to` are in milliseconds since 1970; `to` is not included. */
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/**
 * Accounts for each occurrence of a trigger exactly once. `Engine.submit` records the occurrence together with its run.
 * Every implementation passes test/contract/occurrence-store-suite.ts.
 */
export interface OccurrenceStore {
  memory(ref: TriggerRef): Promise<TriggerMemory | undefined>
  memories(): Promise<readonly TriggerMemory[]>
  /**
   * Adds or replaces occurrences and moves the cursor forward (never back: see `rewind`). Atomic; durable when it
   * resolves. An existing occurrence in a state other than `due` stays unchanged, so that nothing is accounted for
   * twice. Resolves with the keys of the occurrences that were added or replaced. If two processes add the same one,
   * only the first gets its key.
   */
  note(ref: TriggerRef, change: TriggerChange): Promise<readonly string[]>
  /**
   * Sets a cursor back, because it was set by a clock that was ahead. Also removes what was recorded about the slots
   * after `to`, so that each of these slots is decided when its time comes. Keeps slots that ran or that a person
   * withdrew, slots whose backfill ran or is due, and backfills themselves. Atomic; durable when it resolves. Resolves
   * with the number of removed records; undefined if the cursor is no longer `from`, and then nothing has changed.
   */
  rewind(ref: TriggerRef, cursor: { from: number; to: number }): Promise<number | undefined>
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
  /** The open occurrences whose run has ended, with its outcome, and the open occurrences that never had a run. */
  ended(ref: TriggerRef, limit: number): Promise<readonly EndedOccurrence[]>
  /** The counts of each trigger, sorted by name. Triggers without any count are left out. */
  summary(since: number): Promise<readonly TriggerSummary[]>
  /**
   * Closes an open occurrence, because no work is left. `detail` replaces the previous detail. Durable when it
   * resolves.
   */
  close(ref: OccurrenceRef, detail: JsonObject): Promise<void>
  /**
   * Removes occurrences older than `before` (milliseconds since 1970), oldest first and at most `limit`. Returns how
   * many. Occurrences that are due or open stay. Occurrences whose run is in the history also stay, because a
   * backfilled slot is old from the beginning. When the occurrence of a file is removed, a file with the same content
   * may run again.
   */
  forget(options: { before: number; limit: number }): Promise<number>
}

/** An occurrence, with the status of its run. */
export interface ListedOccurrence extends Occurrence {
  readonly outcome: OccurrenceOutcome
}

/** An occurrence whose run has ended, and how. */
export interface EndedOccurrence {
  readonly occurrence: Occurrence
  /** Absent if the occurrence never had a run, or if its run was removed. */
  readonly status?: FinalStatus
}

export type RunOutcomes = Readonly<Partial<Record<RunStanding | 'ran', number>>>

export interface TriggerSummary extends TriggerRef {
  /** Occurrences that are waiting for a run, which starts as soon as possible. */
  readonly due: number
  /** Files in progress: taken, and not yet in `done` or `failed`. */
  readonly open: number
  /** The number of slots and files at or after `since`, by state. */
  readonly recent: Readonly<Record<Exclude<OccurrenceState, 'due'>, number>>
  /**
   * The number of runs of these slots and files, by status. `ran` counts runs that are no longer in the history. Only
   * counts above 0.
   */
  readonly runs: RunOutcomes
  /** Slots before `since` whose run was made at or after `since`, for example by a backfill. */
  readonly caughtUp: number
}
