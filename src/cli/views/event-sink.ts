import type { RunEvent } from '../../core/run-event.ts'
import type { StepBlocked } from '../../status/status-report.ts'

export type WaitingEvent = RunEvent & { readonly event: 'step.waiting' }

/** Shows the progress of a run. */
export interface EventSink {
  event(event: RunEvent): void
  /** A step of a run that this run started waits for a person. */
  childWaits(event: WaitingEvent): void
  /** A step waits for a step of another run, until a person does something about that one. Missing if that is not shown. */
  staysBlocked?(blocked: StepBlocked): void
  /** Restores the output, however the run ended. */
  close(): void
}
