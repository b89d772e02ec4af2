import type { RunOccurrence, Submission } from '../core/engine.ts'
import type { GuardValue } from '../core/guard.ts'
import type { Actor, RunGroup, RunRecord, StoredRecord } from '../core/run.ts'
import type { GuardFilter, RunMessage, RunRow, SentMessage } from './run-history.ts'
import type { RunStore } from './run-store.ts'

/**
 * The records of runs that the embedded engine works on, for one owner, a process. It is private to that engine, and
 * its reads are synchronous; all other code reads runs through RunHistory. At most one of the owners of a store works
 * on a run. Every implementation passes test/contract/journal-suite.ts. Times are in milliseconds since 1970.
 */
export interface Journal extends RunStore {
  /**
   * Adds a run with its first record, which gets `seq` 0; this owner owns the run. Atomic and durable when it resolves,
   * together with the run's occurrence. If a run with the same `dedupeKey` or for the same occurrence already exists,
   * nothing is added and its id is returned. If a group is full, its `onConflict` says whether the run is queued, is
   * not added, or the other runs get a message to cancel.
   */
  submit(run: NewRun): Promise<Submission>
  /**
   * Admits queued runs whose groups have room: at most `room`, of this owner and, with `orphans`, of no living owner.
   * They get the record `run.admitted` and belong to this owner. Fair: first the kind of run with the fewest active
   * runs, then the oldest run; within a group the oldest first. Atomic and durable when it resolves. `room` and `taken`,
   * which learns who is admitted, are called when that is decided, once more if it must be decided again. `isBegun`: this
   * owner works on it already, because it was cancelled in its queue.
   */
  admit(admission: {
    readonly at: number
    readonly room: () => number
    readonly orphans: boolean
    readonly taken?: (runIds: readonly string[]) => void
    readonly isBegun?: (runId: string) => boolean
  }): Promise<readonly string[]>
  /**
   * Makes an unfinished run this owner's, unless a living owner has it. An owner lives while its process exists and its
   * lease has not expired. Only this and `admit` take a run from another owner; an owner that was paused for longer
   * than its lease keeps the runs that no other owner has claimed. Returns whether this owner owns the run now. Rejects
   * with `other-service` if the run belongs to a service other than the one that this store was opened for.
   */
  claim(runId: string): Promise<boolean>
  owns(runId: string): boolean
  /** The runs that other owners have taken from this one since the last call. */
  lost(): readonly string[]
  /** The active runs of this owner (begun and not ended), according to the store. */
  held(): readonly string[]
  /** Releases runs, so that others may claim them at once. */
  release(runIds: readonly string[]): Promise<void>
  /**
   * Leaves a message for the current or next owner of the run. Rejects with `already-decided` if a decision about the
   * same step is already waiting there. A message of a person (`by`) gets an entry in the audit log.
   */
  send(runId: string, message: RunMessage): Promise<void>
  /** The unacknowledged messages for runs of this owner, oldest first. */
  messages(): readonly SentMessage[]
  /** Removes a message after it was handled. */
  acknowledge(id: number): Promise<void>
  records(runId: string, after?: number): readonly StoredRecord[]
  /**
   * Reads the records of many unfinished runs at once. The returned function gives the records of one run, or throws.
   */
  recordsTogether(runIds: readonly string[]): (runId: string) => readonly StoredRecord[]
  find(runId: string): RunRow | undefined
  /** Runs of this owner's service that have begun and not ended and that no living owner owns, oldest first. */
  orphans(): readonly string[]
  lastSuccess(pipeline: string): string | undefined
  guardValues(filter: GuardFilter): readonly GuardValue[]
  /** Releases everything and closes the store. */
  close(): void
}

export interface NewRun {
  readonly runId: string
  readonly dedupeKey?: string
  readonly at: number
  readonly record: Extract<RunRecord, { type: 'run.submitted' }>
  readonly groups?: readonly RunGroup[]
  readonly occurrence?: RunOccurrence
  /** The person or program that asks for it, for the audit log. */
  readonly startedBy?: Actor
  /** Queues it even if its groups have room. */
  readonly hold?: boolean
}
