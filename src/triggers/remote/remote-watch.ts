import type { Logger } from 'pino'
import type { SteadyClock } from '../../core/clock.ts'
import type { ErrorReport } from '../../core/errors.ts'
import type { Fire } from '../../core/fire.ts'
import type { Limit } from '../../core/one-at-a-time.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { RemoteSource } from '../../core/remote-source.ts'
import type { RemoteTrigger } from '../../core/trigger.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import type { RemoteLedger } from '../../state/remote-ledger.ts'

/** A trigger that takes files from another machine. */
export interface RemoteWatch {
  readonly pipeline: Pipeline
  readonly trigger: RemoteTrigger
}

export interface RemoteDeps {
  occurrenceStore: OccurrenceStore
  ledger: RemoteLedger
  fire: Fire
  clock: SteadyClock
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random: () => number
  log: Pick<Logger, 'info' | 'warn'>
  /** The error with which a run failed. */
  whyFailed: (runId: string) => Promise<ErrorReport | undefined>
  /** Opens the source with this name and loads its code. Undefined if audience.yaml has no such source. */
  openSource: (name: string) => Promise<RemoteSource | undefined>
  /** The folder of local copies. Every process that works on runs reads it under the same path. */
  copies: string
}

/** The part of the work on files that all triggers of a process share. */
export interface Around {
  /** Limits how many files are read at the same time. */
  readonly reading: Limit
  readonly stopping: AbortSignal
  /** Called when a source lets files be read but not moved. */
  readonly onReadOnly: (error: unknown) => void
  /** Called when a file was moved at its source. */
  readonly onMoved: () => void
}

/** How long to wait before work on a file is tried again. */
export const RETRY = { firstMs: 15_000, longestMs: 900_000 }
