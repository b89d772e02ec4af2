import type { RunEvent } from '../../core/run-event.ts'

export type WaitingEvent = RunEvent & { readonly event: 'step.waiting' }

/** Shows the progress of a run. */
export interface EventSink {
  event(event: RunEvent): void
  /** A step of a run that this run started waits for a person. */
  childWaits(event: WaitingEvent): void
  /** Restores the output, however the run ended. */
  close(): void
}
