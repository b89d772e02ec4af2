import type { RunRequest, Submission } from '../core/engine.ts'
import type { GuardValue } from '../core/guard.ts'
import type { RunRecord, StoredRecord } from '../core/run.ts'
import type { Sealing } from '../core/sealing.ts'
import type { GuardFilter, RunMessage, RunRow, SentMessage } from './run-history.ts'
import type { RunStore } from './run-store.ts'

/**
 * The records of the runs that the embedded engine works on. Each process is one owner, and at most one owner of a
 * store works on a run. The journal is private to that engine, and its reads are synchronous. All other code reads runs
 * through RunHistory. Every implementation passes test/contract/journal-suite.ts. Times are in milliseconds since 1970.
 */
export interface Journal extends RunStore {
  /**
   * Adds a run with its first record, which gets `seq` 0. This owner owns the run. The run and its occurrence are
   * written atomically, and are durable when it resolves. If a run with the same `dedupeKey` or for the same occurrence
   * already exists, adds nothing and returns the id of that run. If a group is full, its `onConflict` decides: the run
   * is queued, the run is not added, or the other runs get a message to cancel them.
   */
  submit(run: NewRun): Promise<Submission>
  /**
   * Admits queued runs whose groups have room: runs of this owner and, with `orphans`, runs without a living owner. They
   * get the record `run.admitted` and belong to this owner. The order is fair: first the kind of run with the fewest
   * active runs, then the oldest run; within a group, the oldest run first. Atomic, and durable when it resolves.
   */
  admit(admission: Admission): Promise<readonly string[]>
  /**
   * Makes this owner the owner of an unfinished run, unless a living owner has it. An owner lives while its process
   * exists and its lease has not expired. Only this method and `admit` take a run from another owner. An owner that was
   * paused for longer than its lease keeps the runs that no other owner has claimed. Returns whether this owner owns
   * the run now. Rejects with `other-service` if the run belongs to a different service than this store.
   */
  claim(runId: string): Promise<boolean>
  owns(runId: string): boolean
  /** The runs that other owners have taken from this one since the last call. */
  lost(): readonly string[]
  /** The active runs of this owner (begun and not ended), according to the store. */
  held(): readonly string[]
  /** Releases runs, so that others may claim them immediately. */
  release(runIds: readonly string[]): Promise<void>
  /**
   * Leaves a message for the current or next owner of the run. Rejects with `already-decided` if another decision about
   * the same step is already waiting. A message from a person (`by`) gets an entry in the audit log.
   */
  send(runId: string, message: RunMessage): Promise<void>
  /** The messages for runs of this owner that have not been acknowledged yet, oldest first. */
  messages(): readonly SentMessage[]
  /** Removes a message that has been handled. */
  acknowledge(id: number): Promise<void>
  records(runId: string, after?: number): readonly StoredRecord[]
  /**
   * Reads the records of many unfinished runs together. The returned function returns the records of one run, or
   * throws.
   */
  recordsTogether(runIds: readonly string[]): (runId: string) => readonly StoredRecord[]
  find(runId: string): RunRow | undefined
  /** Active runs of this owner's service that have no living owner, oldest first. */
  orphans(): readonly string[]
  lastSuccess(pipeline: string): string | undefined
  guardValues(filter: GuardFilter): readonly GuardValue[]
  /** Releases everything and closes the store. */
  close(): void
}

/** Which queued runs may begin now. If the runs must be chosen again, `room` and `taken` are called again. */
export interface Admission {
  readonly at: number
  /** Returns how many runs may be admitted at most. It is called when these runs are chosen. */
  readonly room: () => number
  /** Whether runs that no living process owns are admitted, too. */
  readonly orphans: boolean
  /** Gets the runs that were chosen. */
  readonly taken?: (runIds: readonly string[]) => void
  /** Whether this owner is already working on a queued run. This is so if the run was cancelled while it was queued. */
  readonly isBegun?: (runId: string) => boolean
}

export interface NewRun extends Pick<RunRequest, 'runId' | 'dedupeKey' | 'groups' | 'occurrence' | 'startedBy'> {
  readonly at: number
  readonly record: Extract<RunRecord, { type: 'run.submitted' }>
  /** Replaces the secrets of its document. */
  readonly sealing?: Sealing
  /** Queues the run even if its groups have room. */
  readonly hold?: boolean
}
