import type { ApprovalFacts } from './approval.ts'
import type { ErrorReport } from './errors.ts'
import type { Band } from './guard.ts'
import type { JsonObject } from './json.ts'
import type {
  Blocked,
  FinalStatus,
  HumanDecision,
  JobFacts,
  Measured,
  QueuedBehind,
  Signed,
  StepEnd,
  StepRef,
  ToleratedFailures,
  WaitReason,
} from './run.ts'

/**
 * A step execution. In a forEach it says how many items there are, and has a name for people if the item has no key.
 */
export interface ItemRef extends StepRef {
  /** In a forEach: the execution as people write it, such as `audience[seg07].upload`. */
  readonly execution?: string
  readonly label?: string
  readonly items?: number
}

/** A search for the outcome of a write. */
export interface LookFacts {
  readonly operation: string
  /** Why the outcome is not known. */
  readonly why: string
  /** In words for people: `a segment with participantSegmentId "autos"`. */
  readonly lookedFor: string
  /** How long the search may take, in milliseconds, while it finds nothing. */
  readonly upToMs: number
}

/** One line of `run --json`. The names are a contract: other programs use them. */
export type RunEvent = {
  /** RFC 3339 in UTC. */
  readonly at: string
  readonly runId: string
} & (
  | ({ readonly event: 'run.queued' } & QueuedBehind)
  /** No run was created: its group is full. */
  | { readonly event: 'run.skipped'; readonly behind: string }
  | {
      readonly event: 'run.started'
      readonly pipeline: string
      readonly file: string
      readonly digest: string
      readonly steps: readonly string[]
    }
  | (ItemRef & { readonly event: 'step.started'; readonly uses: string; readonly attempt: number })
  | (ItemRef & { readonly event: 'step.progress'; readonly bytesSent: number; readonly bytesTotal: number })
  /** The step waits for a step of this or another run that is working on the same thing at the service. */
  | (ItemRef & Blocked & { readonly event: 'step.blocked' })
  /** The step no longer waits. */
  | (ItemRef & { readonly event: 'step.unblocked' })
  /** A write got no response that shows its outcome, so the step looks for its effect. */
  | (ItemRef & LookFacts & { readonly event: 'step.looking' })
  /** The step waits until fewer steps of this process are doing the same. `ahead` is 0 when it is the step's turn. */
  | (ItemRef & { readonly event: 'step.queued'; readonly ahead: number })
  | (ItemRef & {
      readonly event: 'step.retry'
      readonly attempt: number
      readonly retryAt: string
      readonly error: ErrorReport
    })
  | (ItemRef &
      Pick<Measured, 'value' | 'verdict' | 'breach'> & {
        readonly event: 'step.guarded'
        /** The range of the values of good runs; absent while the guard has too few of them. */
        readonly band?: Band
        /** The good runs that it learned from, newest first. */
        readonly learnedFrom?: readonly string[]
      })
  | (ItemRef &
      ApprovalFacts & { readonly event: 'step.waiting'; readonly reason: WaitReason; readonly error: ErrorReport })
  | (ItemRef & Signed & { readonly event: 'step.decided'; readonly decision: HumanDecision })
  | (ItemRef & JobFacts & { readonly event: 'job.status' })
  | (ItemRef & StepEnd & { readonly event: 'step.finished'; readonly durationMs: number })
  | ({
      readonly event: 'run.finished'
      readonly status: FinalStatus
      readonly outputs: JsonObject
      readonly error?: ErrorReport
      readonly durationMs: number
    } & ToleratedFailures)
)
