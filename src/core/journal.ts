import type { RunOccurrence, Submission } from './engine.ts'
import { AudienceError } from './errors.ts'
import type { Decision, FinalStatus, RunGroup, RunRecord, StepRef, StoredRecord } from './run.ts'
import type { RecordedService } from './service-ref.ts'

/**
 * Where runs are remembered, by one owner: a process. Of all owners over the same store at most one works on a run.
 * Every implementation passes test/contract/journal-suite.ts. Times are in milliseconds since 1970.
 */
export interface Journal {
  /**
   * Adds a run with its first record, which gets `seq` 0; the run is this owner's. Atomic and durable when it resolves,
   * together with the occurrence that it is made of. Where a run with the same `dedupeKey` or of the same occurrence is
   * there already, nothing is added and that run's id comes back. Where a group is full, its `onConflict` says whether
   * the run is queued, is not added, or the others are told to cancel.
   */
  submit(run: NewRun): Promise<Submission>
  /**
   * Lets queued runs begin whose groups have room: at most `room`, of this owner and, with `orphans`, of no living one.
   * They get the record `run.admitted` and are this owner's. Fair: first those of whose kind the fewest are under way,
   * then the oldest; within a group the oldest first. Atomic and durable when it resolves.
   */
  admit(admission: {
    readonly at: number
    readonly room: number
    readonly orphans: boolean
  }): Promise<readonly string[]>
  /**
   * Adds records to a run. Atomic, durable when it resolves, and in the order of the calls: what was appended earlier is
   * durable then too. Appends that are under way at the same time share one sync to disk. Rejects with a
   * RunTakenOverError where the run is not this owner's any more. What is added to `records` until `taken` is called
   * belongs to them.
   */
  append(runId: string, records: readonly StoredRecord[], taken?: () => void): Promise<void>
  /**
   * Makes a run that has not ended this owner's, unless a living owner has it: one whose process is there and whose lease
   * is not over. Only this and `admit` take a run from another owner; an owner that was paused for longer than its lease
   * keeps what nobody has claimed. Returns whether the run is this owner's now.
   * Rejects with `other-service` where the run belongs to another service than this store was opened for.
   */
  claim(runId: string): Promise<boolean>
  /** Whether the run is this owner's now, read from the store: the last question before something that cannot be undone. */
  owns(runId: string): boolean
  /** The runs that other owners have taken from this one since this was last called. */
  lost(): readonly string[]
  /** The runs of this owner that have begun and not ended, as the store has them. */
  held(): readonly string[]
  /** Gives runs back, so that others may claim them at once. */
  release(runIds: readonly string[]): Promise<void>
  /**
   * Leaves a message for whoever owns the run, now or later. Rejects with `already-decided` where a decision about the
   * same step waits there.
   */
  send(runId: string, message: RunMessage): Promise<void>
  /** The messages for runs of this owner that nobody has acknowledged, oldest first. */
  messages(): readonly { readonly id: number; readonly runId: string; readonly message: RunMessage }[]
  /** Removes a message that was acted on. */
  acknowledge(id: number): Promise<void>
  /** The records of a run after `after`, in order; none for an unknown run. */
  records(runId: string, after?: number): readonly StoredRecord[]
  find(runId: string): RunRow | undefined
  /** Newest first. */
  list(filter: RunFilter): readonly RunRow[]
  /** How many runs there are of each status that has not ended. */
  counts(): Readonly<Record<'queued' | 'running' | 'waiting', number>>
  /** Runs of this owner's service that have begun and not ended and that no living owner has, oldest first. */
  orphans(): readonly string[]
  /** The services that runs which have not ended belong to. */
  unfinishedServices(): readonly UnfinishedService[]
  /** The newest run of a pipeline that succeeded at this owner's service. */
  lastSuccess(pipeline: string): string | undefined
  /** The names of the pipelines that have runs. */
  pipelines(): readonly string[]
  /** Runs that are not to be kept, oldest first. */
  expired(policy: RunExpiry): readonly string[]
  /** Removes runs that have ended, with all that is known of them. Atomic and durable when it resolves. */
  remove(runIds: readonly string[]): Promise<void>
  /** Gives everything back and closes the store. */
  close(): void
}

export interface NewRun {
  readonly runId: string
  readonly dedupeKey?: string
  readonly at: number
  readonly record: Extract<RunRecord, { type: 'run.submitted' }>
  readonly groups?: readonly RunGroup[]
  readonly occurrence?: RunOccurrence
  /** It is queued even where its groups have room. */
  readonly hold?: boolean
}

export type RunMessage =
  | { readonly kind: 'cancel' }
  | { readonly kind: 'decide'; readonly ref: StepRef; readonly decision: Decision }

export interface RunRow {
  readonly runId: string
  readonly pipeline: string
  /** The profile whose service it works with. */
  readonly profile: string
  /** That service, as in a ServiceRef; missing where the first two versions of the state recorded the run. */
  readonly service?: string
  /** `waiting`: nothing goes on before a person decides. */
  readonly status: 'queued' | 'running' | 'waiting' | FinalStatus
  readonly submittedAt: number
  readonly finishedAt?: number
  /** Who works on it, as people can find it: `process 4711 on HOST`. */
  readonly owner?: string
}

export interface UnfinishedService extends RecordedService {
  readonly runs: number
  readonly oldestRunId: string
}

export interface RunFilter {
  readonly pipeline?: string
  readonly status?: readonly RunRow['status'][]
  /** Only runs that no living process has. */
  readonly ownerless?: true
  /** Only runs submitted before. */
  readonly before?: number
  readonly limit: number
}

/**
 * Which runs of a pipeline are not kept: of those that have ended, neither the newest nor the last successful one at
 * each service.
 */
export interface RunExpiry {
  readonly pipeline: string
  /** Only runs that ended before; in milliseconds since 1970. */
  readonly before: number
  /** How many of the newest that have ended are kept, whatever their age. */
  readonly keep: number
  readonly limit: number
}

/** Another process works on this run now: this one must not go on with it. */
export class RunTakenOverError extends AudienceError {
  override readonly name = 'RunTakenOverError'
  constructor(runId: string) {
    super({
      code: 'run-taken-over',
      kind: 'failed',
      message: `another process works on run ${runId} now`,
      hint: 'let that process go on with it',
    })
  }
}
