import type { NotBy } from '../core/approval.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { CancelChildren } from '../core/engine.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { Secrets } from '../core/secrets.ts'
import type { StepType } from '../core/step-type.ts'
import type { Timeline } from '../runs/timeline.ts'
import type { RunStore } from '../state/run-store.ts'
import type { RunStep } from './execute-attempt.ts'
import type { LiveRun } from './live-run.ts'

/** The dependencies of every engine. */
export interface EngineDeps {
  clock: SteadyClock
  /** From 0 to 1. */
  random: () => number
  stepTypes: ReadonlyMap<string, StepType>
  runStep: RunStep
  /** Parses a document that was valid when its run was submitted. */
  readPipeline: (source: { text: string; file: string }) => Pipeline
  /**
   * Called once for a run that no process owns and that cannot be resumed. The error is an InvalidDocumentError if this
   * version cannot parse the document. Otherwise it says what is wrong with the records.
   */
  onUnreadable?: (runId: string, error: unknown) => void
  /** Absent if no step type starts runs. */
  cancelChildren?: CancelChildren
  /** The environment of the process. A run sees only the names that its document lists. */
  env: Readonly<Record<string, string | undefined>>
  /** Removes the secrets of this process from errors. */
  redactData?: Secrets['redactData']
  /** The profile that new runs record. */
  profile?: string
  /** Who must not approve, according to the policy of this process. */
  approvalsNotBy?: NotBy | undefined
  /** At most this many runs are active at once; unlimited if absent. Runs that only wait do not count. */
  maxRuns?: number
  /** A run that has done nothing but wait for this long is removed from memory until there is news; 1 s if absent. */
  parkAfterMs?: number
  /** While at most this many runs are active, runs that only wait stay in memory; 0 if absent. */
  unparked?: number
}

/** What the driver of runs needs. */
export interface DriverDeps extends EngineDeps {
  store: RunStore
  timeline: Timeline
}

/** A run that this process is working on. */
export interface Live {
  readonly run: LiveRun
  /** Settles when the work on the run has ended. */
  readonly end: Promise<void>
}
