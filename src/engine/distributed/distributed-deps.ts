import type { ServiceAtHand } from '../../core/service-ref.ts'
import type { Machine } from '../../platform/machine.ts'
import type { PostgresState } from '../../state/postgres/open-postgres-state.ts'
import type { EngineDeps } from '../engine-deps.ts'
import type { LeaseTimes } from './lease.ts'
import type { DbosPackage } from './load-dbos.ts'
import type { DatabaseEvent } from './outages.ts'
import type { InputFiles } from './unreadable-inputs.ts'

/** What the engine of one process needs if several processes share a state. */
export interface DistributedDeps extends EngineDeps {
  readonly state: Pick<PostgresState, 'db' | 'pool' | 'redact' | 'runs'>
  readonly url: string
  readonly machine: Pick<Machine, 'host' | 'pid'>
  readonly here: ServiceAtHand
  /** `all`: a worker of `audience start`. `own`: this process works only on the runs that it submits or resumes. */
  readonly takes: 'all' | 'own'
  /** The version of this program, to show to people. */
  readonly version: string
  /** If present, a run whose files this process cannot read is left to others. */
  readonly files?: InputFiles
  readonly log: (event: DatabaseEvent) => void
  readonly times?: LeaseTimes
  readonly protocol?: number
  readonly sdk?: DbosPackage
}
