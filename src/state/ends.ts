import type { Occurrence, TriggerRef } from '../core/occurrence.ts'
import type { FinalStatus } from '../core/run.ts'

/** A run that has ended and is not yet in a set of a trigger. */
export interface OpenEnd {
  readonly runId: string
  readonly pipeline: string
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
  /** Undefined if the run is no longer in the history. */
  readonly status: FinalStatus | undefined
  /** Whether the run belongs to the service of this process. */
  readonly isOurs: boolean
  /** The first run in its chain of retries; the run itself if it is not a retry. */
  readonly origin: string
  /** What started the first run, such as `schedule`. */
  readonly startedBy: string
  /** The slot, file or set that caused the first run. */
  readonly occurrence: Occurrence | undefined
  /** Whether a set already has another run of the same origin. */
  readonly isCounted: boolean
}

/** A run of a set. */
export interface SetMember extends Pick<OpenEnd, 'runId' | 'origin'> {
  /** The mark that it shares with the other runs of its set. */
  readonly mark: string | undefined
}

/** The changes to record about the ends of runs for a trigger. */
interface EndsChange {
  /** The sets, with the outcome of each. */
  readonly sets: readonly {
    readonly members: readonly SetMember[]
    readonly occurrence: Omit<Occurrence, keyof TriggerRef>
  }[]
  /** Runs whose ends do not count. */
  readonly others: readonly string[]
}

/**
 * The ended runs that triggers wait for. When a run ends, the same transaction notes the end for each trigger that
 * starts runs after the run's pipeline. Each end belongs to one set of that trigger. Every implementation passes
 * test/contract/ends-suite.ts.
 */
export interface Ends {
  /**
   * From now on only the ends of these pipelines are noted for the trigger. Open ends of other pipelines are removed.
   */
  follow(ref: TriggerRef, pipelines: readonly string[]): Promise<void>
  /** The triggers for which ends are noted. */
  followers(): Promise<readonly TriggerRef[]>
  /** The triggers that have open ends. */
  waiting(): Promise<readonly TriggerRef[]>
  /** The open ends of a trigger, in the order in which the runs ended. */
  open(ref: TriggerRef): Promise<readonly OpenEnd[]>
  /**
   * Returns the pipelines that already have a run in the trigger's sets with these marks, each with its mark and the
   * key of its set.
   */
  taken(
    ref: TriggerRef,
    marks: readonly string[],
  ): Promise<readonly { readonly mark: string; readonly key: string; readonly pipeline: string }[]>
  /**
   * Makes sets of open ends and an occurrence for each set, and forgets the ends that do not count. Leaves a set out if
   * one of its ends is no longer open. Atomic; durable when it resolves.
   */
  account(ref: TriggerRef, change: EndsChange): Promise<void>
  /** The occurrences of the sets that a run is in, oldest first. */
  after(runId: string): Promise<readonly Occurrence[]>
}
