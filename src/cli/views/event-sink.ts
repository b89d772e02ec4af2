import type { RunEvent } from '../../core/run-event.ts'

/** Shows the progress of a run. */
export interface EventSink {
  event(event: RunEvent): void
  /** Restores the output, however the run ended. */
  close(): void
}
