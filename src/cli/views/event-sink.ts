import type { WaitReason } from '../../core/run.ts'
import type { RunEvent } from '../../core/run-event.ts'
import type { StepBlocked } from '../../status/status-report.ts'

/** A step that continues only when somebody else acts. It belongs to the run, or to a run that the run started. */
export interface OpenWait {
  readonly runId: string
  /** The step execution as people write it. */
  readonly step: string
  readonly reason: WaitReason | 'partner'
  /** RFC 3339. */
  readonly since: string
  /** For a partner: the job at the service, and who must approve it, if known: `partner 2005`. */
  readonly jobId?: string
  readonly counterpart?: string | undefined
  /** The commands with which a person answers. */
  readonly commands: readonly string[]
}

export type WaitingEvent = RunEvent & { readonly event: 'step.waiting' }

/** The process that works on a run after this command has ended, and what to do. */
export interface NextWorker {
  readonly by: 'daemon' | 'worker' | 'nobody'
  /** A sentence that says who works on the run, and what to do. */
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
  /**
   * Called if a step waits for a step of another run and continues only after a person does something. Absent if such
   * waits are not shown.
   */
  staysBlocked?(blocked: StepBlocked): void
  /** The command ends, and the run continues. */
  leaves(run: LeftRun): void
  /** Restores the output, however the run ended. */
  close(): void
}
