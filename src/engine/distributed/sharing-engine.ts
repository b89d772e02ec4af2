import type { Engine } from '../../core/engine.ts'
import type { AudienceError } from '../../core/errors.ts'
import type { WorkerRow } from '../../state/worker-row.ts'

/** The engine of this process among the others that work on the same state. One of them at a time is the keeper. */
export interface SharingEngine extends Engine {
  /** All processes that work on the state, oldest first. */
  workers(): Promise<readonly WorkerRow[]>
  /** Resolves when others have taken over the runs of this process: it must end (with 75), and be started again. */
  readonly lost: Promise<AudienceError>
  /** Resolves when it drains and has no run any more: it ends then, with 0. */
  readonly drained: Promise<void>
  /** Whether it drains: it takes nothing new, and gives runs that only wait to others. */
  isDraining(): boolean
  /** Whether this process is the one that runs schedules, watched folders and notifications. */
  isKeeper(): boolean
  /** Calls `begin` when this process becomes the keeper, and `end` when it no longer is. Also at once, if it is now. */
  onKeeper(begin: () => void, end: () => void): void
  /**
   * Begins nothing more, and stops the runs of this process within the given time. The lease stays; `stop` hands the
   * runs over.
   */
  stopRuns(graceMs: number): Promise<void>
}
