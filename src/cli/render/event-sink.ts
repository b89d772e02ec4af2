import type { RunEvent } from '../../core/run-event.ts'

/** Shows a run as it goes. */
export interface EventSink {
  event(event: RunEvent): void
  /** Leaves the output in order, however the run ended. */
  close(): void
}
