import type { ApprovalTerms } from './approval.ts'
import type { ErrorReport } from './errors.ts'
import type { FINAL_STATUSES, RUN_STATUSES, SETTLED_STATUSES, UNFINISHED_STATUSES } from './format/statuses.ts'
import type { Breach, GuardVerdict, LearnedGuard } from './guard.ts'
import type { Json, JsonObject } from './json.ts'

/** One execution of one pipeline document with inputs. */
export type RunStatus = (typeof RUN_STATUSES)[number]
export type UnfinishedStatus = (typeof UNFINISHED_STATUSES)[number]
export type FinalStatus = (typeof FINAL_STATUSES)[number]
export type SettledStatus = (typeof SETTLED_STATUSES)[number]

/** What started a run, as the expression root `trigger`. */
export type RunTrigger = JsonObject

/** A git commit; `dirty` if the document differed from it. */
export interface GitVersion {
  readonly commit: string
  readonly dirty: boolean
}

/** A group of runs: at most `limit` of them run at the same time. `onConflict` says what happens to a further run. */
export interface RunGroup {
  readonly name: string
  readonly limit: number
  readonly onConflict: 'queue' | 'skip' | 'cancelRunning' | 'fail'
  /** The reason that the occurrence store records for an occurrence that is not admitted, such as `overlap`. */
  readonly because?: string
}

/**
 * Why a run did not begin immediately: a group is full and one of its runs blocks this one, or the total number of
 * active runs is too high.
 */
export interface QueuedBehind {
  readonly group?: string
  readonly behind?: string
}

/** Outputs by step id. */
export type StepOutputs = Readonly<Record<string, Json>>

/** The newest run of a pipeline that had already succeeded when another run began, and the outputs of its steps. */
export interface LastRun {
  readonly runId: string
  readonly steps: StepOutputs
}

/** What a rerun keeps from an earlier run. */
export interface Seed {
  readonly runId: string
  readonly kept: readonly KeptExecution[]
}

/**
 * What a rerun keeps from a step execution. If it succeeded: its outputs. If it did not succeed: the run that it
 * started, which is repeated without its successful steps; or the effects of its last attempt, if that attempt
 * announced a write that may have happened. The new run continues from these effects and does not send the write again.
 */
export type KeptExecution = StepRef & {
  /** In a forEach, the result is kept only for the same item under the same key; without keys, at the same index. */
  readonly item?: Json
  /** The run that executed it. It may be earlier than the run that is repeated. */
  readonly from: string
} & (
    | {
        readonly outputs: Json
        /** What its guard measured, for each item of a forEach. */
        readonly guards?: readonly (StepRef & Measured)[]
      }
    | { readonly child: string }
    | { readonly effects: JsonObject }
  )

/** What the guard of a step measured. */
export interface Measured {
  /** Identifies what the guard measures. Values of another measure are not compared with it. */
  readonly of: string
  /** The name of the item of a forEach. The item's values are found again by this name. */
  readonly item?: string
  readonly value: number
  readonly verdict: GuardVerdict
  /** The limit that the value exceeds. */
  readonly breach?: Breach
}

/** `decision`: it is unknown whether a write happened. `approval`: the pipeline asks for an approval. */
export type WaitReason = 'decision' | 'approval'

/** What a waiting step is waiting for, in words. */
export const WAITS_FOR: Readonly<Record<WaitReason, string>> = { approval: 'an approval', decision: 'a decision' }

/**
 * A person's decision about a waiting step. For a write whose outcome is unknown: `done` (it happened) or `again` (send
 * it again). For an approval: `approved` or `rejected`.
 */
export type HumanDecision = 'done' | 'again' | 'approved' | 'rejected'

/** Who did something, and why. `by` is the user of the operating system, or the name that the person gave. */
export interface Signed {
  readonly by?: string
  readonly comment?: string
}

/** Who did something, why, and from where. Only the audit log keeps the role and the address. */
export interface Actor extends Signed {
  /** The role in the console. */
  readonly role?: string
  readonly address?: string
}

/** Keeps only who did it, and why. */
export function signatureOf({ by, comment }: Signed): Signed {
  return { by, comment }
}

/** Keeps only who did it, why, and from where. */
export function actorOf({ role, address, ...signed }: Actor): Actor {
  return { ...signatureOf(signed), role, address }
}

/** A step execution: a step of a run; for a forEach, a step of an item, or an item as a whole. */
export interface StepRef {
  readonly step: string
  /** The position of the item in the list. */
  readonly index?: number
  /** The item's key, if the forEach gives its items keys. */
  readonly key?: string
  /** For a step inside a forEach: the id of the forEach. */
  readonly block?: string
}

/**
 * A step execution as people write it: `upload`; `notify[3]` or `notify[seg07]` for an item of a forEach;
 * `audience[seg07].upload` for a step inside it. No two executions of a run have the same text, because ids contain no
 * brackets, so the first `[` and the last `]` enclose the key, whatever it is.
 */
export function stepKey({ step, index, key, block }: StepRef): string {
  if (index === undefined) return step
  const item = `[${key ?? index}]`
  return block === undefined ? `${step}${item}` : `${block}${item}.${step}`
}

/** Matches what `stepKey` writes. Captures the id of a step or a forEach, and the id of a step inside the forEach. */
export const STEP_KEY = /^([a-zA-Z]\w*)(?:\[.+\](?:\.([a-zA-Z]\w*))?)?$/

/** Only what identifies a step execution. */
export function stepRef({ step, index, key, block }: StepRef): StepRef {
  return { step, index, key, block }
}

/**
 * A record of a run. The journal keeps the records in order, and folding them gives the run's state. Nothing else is
 * remembered. So whoever reads the records knows as much as the process that wrote them.
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
      /** The profile that it was submitted under, as `run.profile`. Older versions did not record it here. */
      readonly profile?: string
      readonly inputs: JsonObject
      readonly trigger: RunTrigger
      /** The names of its groups. */
      readonly groups?: readonly string[]
      /** Only for a rerun. */
      readonly seed?: Seed
      /** Why it did not begin immediately. */
      readonly queued?: QueuedBehind
      /** The person or program that started it. */
      readonly startedBy?: string
      /** Nobody at a terminal is watching it: it came through the console, its API or `--detach`. */
      readonly via?: 'api' | 'detached' | undefined
      /**
       * Everybody who caused the run: `startedBy`, and whoever started the run that it repeats or belongs to, made its
       * slot due, or provided its file. Absent if there is nobody except `startedBy`.
       */
      readonly submitters?: readonly string[]
    }
  | { readonly type: 'run.admitted' }
  /**
   * The value of `last` in this run, and what its guards have learned. It is read when the run begins, recorded before
   * the run does anything, and never changes.
   */
  | { readonly type: 'last.noted'; readonly last?: LastRun; readonly guards?: readonly LearnedGuard[] }
  /** The values of the document's variables. They are computed once, before the first step, and never change. */
  | { readonly type: 'variables.set'; readonly variables: JsonObject }
  | (StepRef & {
      readonly type: 'step.expanded'
      readonly items: readonly Json[]
      /** The items' keys in their order, if the forEach gives its items keys. */
      readonly keys?: readonly string[]
    })
  | (StepRef & { readonly type: 'step.started'; readonly attempt: number })
  | (StepRef & { readonly type: 'effect.done'; readonly attempt: number; readonly name: string; readonly value: Json })
  | (StepRef & JobFacts & { readonly type: 'job.status' })
  /** The step waits for a claim that another step execution holds. */
  | (StepRef & Blocked & { readonly type: 'step.blocked' })
  /** The step got the claim that it waited for. */
  | (StepRef & { readonly type: 'step.unblocked' })
  | (StepRef & {
      readonly type: 'attempt.failed'
      readonly attempt: number
      readonly error: ErrorReport
      /** When the next attempt starts, in milliseconds since 1970. */
      readonly retryAt: number
      /**
       * The next attempt continues from the effects of this one, because this one announced a write that may have
       * happened.
       */
      readonly keepsEffects?: true
    })
  /** The step has done its work. If it is held, it ends with these outputs or fails, as a person decides. */
  | (StepRef & Measured & { readonly type: 'guard.measured'; readonly outputs?: Json })
  | (StepRef &
      ApprovalTerms & {
        /** The step continues only after a person has decided. */
        readonly type: 'step.waiting'
        readonly reason: WaitReason
        readonly error: ErrorReport
      })
  | (StepRef & Signed & { readonly type: 'decision.made'; readonly decision: HumanDecision })
  | (Signed & { readonly type: 'cancel.requested' })
  | (StepRef & StepEnd & { readonly type: 'step.finished' })
  | ({
      readonly type: 'run.finished'
      readonly status: FinalStatus
      readonly outputs?: JsonObject
      readonly error?: ErrorReport
    } & ToleratedFailures)

/** What the job of a step is doing, or waiting for. */
export interface JobFacts {
  readonly jobId: string
  readonly status: string
  readonly waitedMs: number
  /**
   * The participant it is waiting for, if the status is PENDING_APPROVAL and the request named one: `partner 2005`,
   * `group 3001`.
   */
  readonly counterpart?: string | undefined
}

/** How a step execution ended. */
export interface StepEnd {
  readonly status: SettledStatus
  readonly outputs?: Json
  readonly error?: ErrorReport
  /** The earlier run that executed the step and gave its outputs; this run did not execute it again. */
  readonly keptFrom?: string
}

/**
 * What failed in a run that succeeded, because of `continueOnError` or `maxFailures`. `failures`: how many steps and
 * items failed; `failuresOf`: how many were counted (see `failures.ts`).
 */
export interface ToleratedFailures {
  readonly failures?: number
  readonly failuresOf?: number
}

/** What a step is waiting for, and the step execution that is working on it, as people write it (`stepKey`). */
export interface Blocked {
  /** For example, `activation "Autos" of segment 5001`. */
  readonly thing: string
  readonly by: { readonly runId: string; readonly step: string }
}

/** Step executions whose jobs are waiting until another participant of the service answers. */
export interface PartnerWaits<Time = number> {
  /** How many step executions wait. */
  readonly steps: number
  /** How many partners they are waiting for. */
  readonly partners: number
  /** The partner, if there is only one and it is known: `partner 2005`, `group 3001`. */
  readonly counterpart?: string | undefined
  /** When the first of them began to wait. */
  readonly since: Time
}

/** A record with its position in the run and its time in milliseconds since 1970. */
export interface StoredRecord {
  readonly seq: number
  readonly at: number
  readonly record: RunRecord
  /** Read from a store and not opened yet: there are references in it (`sealing.ts`). */
  readonly isSealed?: true
}

/** Whether a job is waiting until another participant of the service answers. */
export function asksPartner({ status }: { status: string }): boolean {
  return status === 'PENDING_APPROVAL'
}
