import type { Occurrence, TriggerRef } from '../core/occurrence.ts'
import type { FinalStatus } from '../core/run.ts'

/** A run that has ended, and that no set of a trigger has yet. */
export interface OpenEnd {
  readonly runId: string
  readonly pipeline: string
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
  /** Undefined if the run is not in the history any more. */
  readonly status: FinalStatus | undefined
  /** It belongs to the service of this process. */
  readonly isOurs: boolean
  /** The first run of which it is a retry, of a retry…; itself if it is none. */
  readonly origin: string
  /** What started that run, such as `schedule`. */
  readonly startedBy: string
  /** The slot, file or set that that run was made for. */
  readonly occurrence: Occurrence | undefined
  /** A set has another run of the same origin. */
  readonly isCounted: boolean
}

/** A run of a set. */
export interface SetMember extends Pick<OpenEnd, 'runId' | 'origin'> {
  /** What it shares with the other runs of its set. */
  readonly mark: string | undefined
}

/** What is recorded of the ends of runs for a trigger. */
interface EndsChange {
  /** The sets, with what becomes of each. */
  readonly sets: readonly {
    readonly members: readonly SetMember[]
    readonly occurrence: Omit<Occurrence, keyof TriggerRef>
  }[]
  /** Runs whose ends do not count. */
  readonly others: readonly string[]
}

/**
 * Which ended runs triggers come after. An end is noted in the transaction that ends the run, for each trigger that comes
 * after its pipeline, and belongs to one set of that trigger. Every implementation passes test/contract/ends-suite.ts.
 */
export interface Ends {
  /** From now on the ends of these pipelines are noted for the trigger; of others no longer. Their open ends go. */
  follow(ref: TriggerRef, pipelines: readonly string[]): Promise<void>
  /** Those for which ends are noted. */
  followers(): Promise<readonly TriggerRef[]>
  /** The triggers that have open ends. */
  waiting(): Promise<readonly TriggerRef[]>
  /** In the order in which the runs ended. */
  open(ref: TriggerRef): Promise<readonly OpenEnd[]>
  /** Which pipelines the sets of a trigger have whose runs share one of these marks. */
  taken(
    ref: TriggerRef,
    marks: readonly string[],
  ): Promise<readonly { readonly mark: string; readonly key: string; readonly pipeline: string }[]>
  /**
   * Makes sets of open ends, and an occurrence of each set; forgets the ends that do not count. A set of which an end is
   * not open any more is left out. Atomic, durable when it resolves.
   */
  account(ref: TriggerRef, change: EndsChange): Promise<void>
  /** The occurrences of the sets that a run is in, oldest first. */
  after(runId: string): Promise<readonly Occurrence[]>
}
