import type { RunEvent } from '../../core/run-event.ts'
import type { StepBlocked } from '../../status/status-report.ts'
import type { OpenWait } from '../watch-rest.ts'
import type { NextWorker } from '../who-goes-on.ts'

export type WaitingEvent = RunEvent & { readonly event: 'step.waiting' }

/** A run that a command leaves while it waits. */
export interface LeftRun {
  readonly runId: string
  readonly waits: readonly OpenWait[]
  readonly next: NextWorker
}

/** Shows the progress of a run. */
export interface EventSink {
  event(event: RunEvent): void
  /** A step of a run that this run started waits for a person. */
  childWaits(event: WaitingEvent): void
  /** A step waits for a step of another run, until a person does something about that one. Missing if that is not shown. */
  staysBlocked?(blocked: StepBlocked): void
  /** The command ends, and the run goes on. */
  leaves(run: LeftRun): void
  /** Restores the output, however the run ended. */
  close(): void
}
