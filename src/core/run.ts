import type { ErrorReport } from './errors.ts'
import type { Json, JsonObject } from './json.ts'

/** One execution of one pipeline document with inputs. */
type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
type StepStatus = 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'cancelled'
export type FinalStatus = Extract<RunStatus, 'succeeded' | 'failed' | 'cancelled'>
export type SettledStatus = Extract<StepStatus, 'succeeded' | 'failed' | 'skipped' | 'cancelled'>

/** What started a run, as the expression root `trigger`. */
export type RunTrigger = JsonObject

/** A commit of git; `dirty` where the document differed from it. */
export interface GitVersion {
  readonly commit: string
  readonly dirty: boolean
}

/** Runs of one group: at most `limit` of them are under way at a time, and `onConflict` says what one more does. */
export interface RunGroup {
  readonly name: string
  readonly limit: number
  readonly onConflict: 'queue' | 'skip' | 'cancelRunning' | 'fail'
  /** What the ledger says of an occurrence that it does not let in, such as `overlap`. */
  readonly because?: string
}

/** Why a run did not begin at once: a full group and a run of it that is in the way, or too many runs of all kinds. */
export interface QueuedBehind {
  readonly group?: string
  readonly behind?: string
}

/** Outputs by step id. */
export type StepOutputs = Readonly<Record<string, Json>>

/** The newest run of a pipeline that had succeeded when another one began, and what its steps gave. */
export interface LastRun {
  readonly runId: string
  readonly steps: StepOutputs
}

/** What a rerun keeps of an earlier run. */
export interface Seed {
  readonly runId: string
  readonly kept: readonly KeptExecution[]
}

/**
 * What is kept of a step execution: the outputs of one that succeeded. Of one that did not succeed: the run that it
 * started, which is done again without what succeeded in it; or the effects of its last attempt, where that announced a
 * write that may have happened, so that the new run continues from them and does not send it again.
 */
export type KeptExecution = StepRef & {
  /** Of a forEach: the outputs are kept for the same item at the same index only. */
  readonly item?: Json
  /** The run that did it, which may be earlier than the one that is done again. */
  readonly from: string
} & ({ readonly outputs: Json } | { readonly child: string } | { readonly effects: JsonObject })

/** `decision`: it is not known whether a write happened. `approval`: the pipeline wants a yes. */
export type WaitReason = 'decision' | 'approval'

/**
 * What a person decided about a step that waits. Of an unknown write: it was `done`, or do it `again`. Of an approval:
 * `approved` or `rejected`.
 */
export type Decision = 'done' | 'again' | 'approved' | 'rejected'

/** A step execution: a step of a run, with an index when it is one of a forEach. */
export interface StepRef {
  readonly step: string
  readonly index?: number
}

/**
 * What the journal keeps of a run, in order; folding the records gives the run's state. Nothing else is remembered, so
 * that whoever reads them knows all that the process knew which wrote them.
 */
export type RunRecord =
  | {
      readonly type: 'run.submitted'
      readonly pipeline: string
      readonly file: string
      /** Absolute path of the document's folder. */
      readonly folder: string
      readonly text: string
      readonly digest: string
      readonly git?: GitVersion
      readonly inputs: JsonObject
      readonly trigger: RunTrigger
      /** The names of its groups. */
      readonly groups?: readonly string[]
      /** Of a rerun. */
      readonly seed?: Seed
      /** It did not begin at once. */
      readonly queued?: QueuedBehind
    }
  | { readonly type: 'run.admitted' }
  /** What `last` is in this run: read as the run begins, recorded before anything that it does, and the same ever after. */
  | { readonly type: 'last.noted'; readonly last?: LastRun }
  | (StepRef & { readonly type: 'step.expanded'; readonly items: readonly Json[] })
  | (StepRef & { readonly type: 'step.started'; readonly attempt: number })
  | (StepRef & { readonly type: 'effect.done'; readonly attempt: number; readonly name: string; readonly value: Json })
  | (StepRef & {
      readonly type: 'job.status'
      readonly jobId: string
      readonly status: string
      readonly waitedMs: number
    })
  | (StepRef & {
      readonly type: 'attempt.failed'
      readonly attempt: number
      readonly error: ErrorReport
      /** When the next attempt starts, in milliseconds since 1970. */
      readonly retryAt: number
      /** The next attempt goes on from the effects of this one: it announced a write that may have happened. */
      readonly keepsEffects?: true
    })
  | (StepRef & {
      /** The step can go on only when a person has decided. */
      readonly type: 'step.waiting'
      readonly reason: WaitReason
      readonly error: ErrorReport
    })
  | (StepRef & { readonly type: 'decision.made'; readonly decision: Decision })
  | { readonly type: 'cancel.requested' }
  | (StepRef & {
      readonly type: 'step.finished'
      readonly status: SettledStatus
      readonly outputs?: Json
      readonly error?: ErrorReport
      /** It was not done in this run: its outputs are those of an earlier one. */
      readonly keptFrom?: string
    })
  | {
      readonly type: 'run.finished'
      readonly status: FinalStatus
      readonly outputs?: JsonObject
      readonly error?: ErrorReport
    }

/** A record with its place in the run and its time in milliseconds since 1970. */
export interface StoredRecord {
  readonly seq: number
  readonly at: number
  readonly record: RunRecord
}
