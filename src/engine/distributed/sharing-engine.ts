import type { Engine } from '../../core/engine.ts'
import type { AudienceError } from '../../core/errors.ts'
import type { ServiceAtHand } from '../../core/service-ref.ts'
import type { Machine } from '../../platform/machine.ts'
import type { PostgresState } from '../../state/postgres/open-postgres-state.ts'
import type { WorkerRow } from '../../state/worker-row.ts'
import type { EngineDeps } from '../engine-deps.ts'
import type { DbosPackage } from './dbos.ts'
import type { LeaseTimes } from './lease.ts'
import type { DatabaseEvent } from './outages.ts'
import type { InputFiles } from './unreadable-inputs.ts'

/** The engine of one of the processes that work on the same state. One process at a time is the keeper. */
export interface SharingEngine extends Engine {
  /** All processes that work on the state, oldest first. */
  workers(): Promise<readonly WorkerRow[]>
  /**
   * Resolves when others have taken over the runs of this process. The process must then end (with exit code 75) and be
   * started again.
   */
  readonly lost: Promise<AudienceError>
  /** Resolves when the process is draining and has no more runs. The process then ends with exit code 0. */
  readonly drained: Promise<void>
  /** Whether the process is draining. If so, it takes no new runs, and hands over to others the runs that only wait. */
  isDraining(): boolean
  /** Whether this process is the one that runs schedules, watched folders and notifications. */
  isKeeper(): boolean
  /**
   * Calls `begin` when this process becomes the keeper (immediately if it is the keeper now), and `end` when it no
   * longer is.
   */
  onKeeper(begin: () => void, end: () => void): void
  /**
   * Begins nothing more, and stops the runs of this process within the given time. Keeps the lease; only `stop` hands
   * the runs over.
   */
  stopRuns(graceMs: number): Promise<void>
}

/** What the engine of one process needs if several processes share a state. */
export interface DistributedDeps extends EngineDeps {
  state: Pick<PostgresState, 'db' | 'pool' | 'redact' | 'runs'>
  url: string
  machine: Pick<Machine, 'host' | 'pid'>
  here: ServiceAtHand
  /** `all`: a worker of `audience start`. `own`: this process works only on the runs that it submits or resumes. */
  takes: 'all' | 'own'
  /** The version of this program, to show to people. */
  version: string
  /** If present, a run whose files this process cannot read is left to others. */
  files?: InputFiles
  log: (event: DatabaseEvent) => void
  times?: LeaseTimes
  protocol?: number
  sdk?: DbosPackage
}
