import type { RunEvent } from '../../core/run-event.ts'
import type { StepBlocked } from '../../status/status-report.ts'
import type { OpenWait } from './open-wait.ts'

export type WaitingEvent = RunEvent & { readonly event: 'step.waiting' }

/** The process that works on a run after this command has ended, and what to do. */
export interface NextWorker {
  readonly by: 'daemon' | 'worker' | 'nobody'
  /** A sentence about it. */
  readonly text: string
}

/** A run that a command leaves while it is waiting. */
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
  /** Called if a step waits for a step of another run that needs a person. Absent if such waits are not shown. */
  staysBlocked?(blocked: StepBlocked): void
  /** The command ends, and the run continues. */
  leaves(run: LeftRun): void
  /** Restores the output, however the run ended. */
  close(): void
}
