import type { SteadyClock } from '../core/clock.ts'
import type { InvalidDocumentError } from '../core/errors.ts'
import type { Journal } from '../core/journal.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import type { RunStep } from './execute-attempt.ts'
import type { LiveRun } from './live-run.ts'

/** What an engine works with. */
export interface EngineMeans {
  readonly journal: Journal
  readonly clock: SteadyClock
  /** From 0 to 1. */
  readonly random: () => number
  readonly stepTypes: ReadonlyMap<string, StepType>
  readonly runStep: RunStep
  /** Reads a document that was valid when its run was submitted. */
  readonly readPipeline: (source: { text: string; file: string }) => Pipeline
  /** Told once of a run that nobody works on and that cannot be taken up, as this version cannot read its document. */
  readonly onUnreadable?: (runId: string, error: InvalidDocumentError) => void
  /** The process's environment; a run sees the names that its document lists. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** How many runs it works on at a time; no limit where it is not given. Runs that only wait do not count. */
  readonly maxRuns?: number
  /** For how long a run does nothing but wait before it is forgotten until there is news; 1 s where it is not given. */
  readonly parkAfterMs?: number
}

/** A run that this process works on. */
export interface Live {
  readonly run: LiveRun
  /** Settles when the work on it has ended. */
  readonly end: Promise<void>
}
