import { AudienceError } from '../core/errors.ts'
import type { GuardValue } from '../core/guard.ts'
import type { StoredRecord } from '../core/run.ts'
import type { Sealing } from '../core/sealing.ts'
import type { GuardFilter } from './run-history.ts'

/**
 * The part of the store that an engine needs to drive its runs. A store in this process returns results directly. A
 * database on another machine returns promises.
 */
export interface RunStore {
  /**
   * Adds records to a run. Atomic, and durable when it resolves. Appends keep the order of the calls, so earlier
   * appends are durable by then, too. Appends in progress at the same time share one commit. Rejects with a
   * RunTakenOverError if this owner no longer owns the run. The caller may add to `records` until `taken` is called.
   */
  append(runId: string, records: readonly NewRecord[], taken?: () => void): Promise<void>
  /**
   * Whether this owner owns the run now, read from the store. Call this immediately before an action that cannot be
   * undone. A promise resolves to false, or to a function that returns whether this owner still owns the run.
   */
  owns(runId: string): boolean | Promise<false | (() => boolean)>
  /** The records of a run after position `after`, in order; none if the run is unknown. */
  records(runId: string, after?: number): readonly StoredRecord[] | Promise<readonly StoredRecord[]>
  /** The newest successful run of a pipeline at this owner's service. */
  lastSuccess(pipeline: string): string | undefined | Promise<string | undefined>
  /** As in RunHistory. */
  guardValues(filter: GuardFilter): readonly GuardValue[] | Promise<readonly GuardValue[]>
}

/** A record to be stored. */
export interface NewRecord extends StoredRecord {
  /** Replaces the secrets of the run's document. Not stored. */
  readonly sealing?: Sealing
  /** From this record on, no step of the run is waiting for a person. Not stored. */
  readonly answered?: boolean
  /** From this record on, the step execution with this key is not waiting for another one. Not stored. */
  readonly unblocked?: string | undefined
  /** From this record on, the step execution with this key is not waiting for a partner. Not stored. */
  readonly partnerAnswered?: string | undefined
}

/** Another process is now working on this run, so this process must stop. */
export class RunTakenOverError extends AudienceError {
  override readonly name = 'RunTakenOverError'
  constructor(runId: string) {
    super({
      code: 'run-taken-over',
      kind: 'failed',
      message: `another process is working on run ${runId} now`,
      hint: `let that process continue the run: audience runs watch ${runId}`,
    })
  }
}
