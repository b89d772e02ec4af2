import type { Json, JsonObject } from './json.ts'
import type { Occurrence } from './occurrence.ts'
import type { AwaitRule, Pipeline } from './pipeline.ts'
import type { Actor, Blocked, GitVersion, HumanDecision, JobFacts, RunGroup, RunTrigger, Seed, Signed } from './run.ts'
import type { LookFacts, RunEvent } from './run-event.ts'
import type { Sealing } from './sealing.ts'

/**
 * The engine port: runs pipelines durably, in one process (engine/embedded) or in many (engine/distributed). Every
 * implementation passes test/contract/engine-suite.ts.
 */
export interface Engine {
  /**
   * Records the run, and starts it as soon as its groups have room. The run is durable when this resolves: it will end
   * even if this process does not survive.
   */
  submit(request: RunRequest): Promise<Submission>
  /** Resumes an unfinished run from its records. Throws if another process is already working on it. */
  resume(runId: string): Promise<void>
  /** Ends an unfinished run. Work at the service continues, because it cannot be stopped. */
  cancel(runId: string, actor?: Actor): Promise<void>
  /** The past events of a run, then the new ones, until the run ends or the engine stops. */
  events(runId: string): AsyncIterable<RunEvent>
  /** Calls back for all events of the runs of this process, until the returned function is called. */
  watch(listener: (event: RunEvent) => void): () => void
  /**
   * The load of this process: its active runs, including those that it could not resume yet, and the number of pending
   * waits in all runs.
   */
  load(): { readonly runs: number; readonly waits: number }
  /** The runs of this process that make no progress because writing a record or resuming failed. Both are retried. */
  stuck(): readonly string[]
  /** Resumes runs that no process is working on, now and from then on, until `stop`. */
  start(): void
  /** Ends all work within `graceMs`. Unfinished runs stay as recorded and can be resumed. */
  stop(graceMs: number): Promise<void>
}

export interface RunRequest {
  readonly runId: string
  readonly pipeline: Pipeline
  readonly inputs: JsonObject
  readonly trigger: RunTrigger
  /** Absolute path of the document's folder. Relative files in `with` are resolved against it. */
  readonly folder: string
  /** At most one run has a given key. */
  readonly dedupeKey?: string
  /**
   * The occurrence of a trigger that the run is for. It is recorded with the run. An occurrence has at most one run.
   */
  readonly occurrence?: RunOccurrence
  /** Runs of a group share its limit. */
  readonly groups?: readonly RunGroup[]
  /**
   * The run that starts this one and waits for it. This run needs no slot, because the run that waits for it has one.
   */
  readonly parent?: string
  /** The person or program that requests it. */
  readonly startedBy?: Actor
  /** Present if the run is requested through the console or its API, or with `--detach`. */
  readonly via?: 'api' | 'detached' | undefined
  /** The other people who caused it: see `run.submitted`. */
  readonly submitters?: readonly string[] | undefined
  /** The commit of the document. */
  readonly git?: GitVersion
  /** What the run keeps from an earlier run and must not do again. */
  readonly seed?: Seed
}

/** Who uploaded the files among the inputs of a run. */
export type UploadersOf = (run: Pick<RunRequest, 'pipeline' | 'inputs' | 'folder'>) => readonly string[]

export type RunOccurrence = Pick<Occurrence, 'trigger' | 'key' | 'at' | 'detail' | 'open'>

/** The outcome of a submission. */
export interface Submission {
  /** The new run, or the existing run that prevents it. */
  readonly runId: string
  /** Whether no run was added. */
  readonly existing: boolean
  /** `skipped` and `refused`: a group is full, and its `onConflict` says so. */
  readonly state: 'running' | 'queued' | 'existing' | 'skipped' | 'refused'
}

/**
 * An effect whose name has this suffix announces a write that must not be sent twice. If an attempt with such an effect
 * times out, or its outputs do not meet an expectation, the next attempt continues from its records. The effect's value
 * names the `operation`.
 */
export const INTENT = 'intent'

/**
 * The name of the effect that stores the id of a run that a step started. It announces a write like any other: after a
 * timeout, the next attempt waits for the same run.
 */
export const CHILD_RUN = `child.${INTENT}`

/**
 * Ends the runs that a cancelled run has started, even those that are not in its records, because a process that was
 * killed may have started a run without recording it.
 */
export type CancelChildren = (runId: string) => Promise<void>

/** What a step type receives to do its work. */
export interface StepContext {
  readonly runId: string
  /**
   * The id of the step. In a forEach with keys, it includes the key of the item: `segment[seg07]`. Step memory uses it
   * as its key.
   */
  readonly stepId: string
  /** Replaces the secrets of the document in what the step stores outside of its run. */
  readonly sealing?: Sealing
  /** The step execution as people write it, such as `each[3]` or `audience[seg07].segment`. */
  readonly stepKey: string
  readonly attempt: number
  readonly pipeline: string
  /** The decision that a person has made about this step since it began to wait. */
  readonly decision?: HumanDecision
  /** Who made it, and why. */
  readonly decidedBy?: Signed
  /** Aborts when the run stops or is cancelled, or when the step times out. */
  readonly signal: AbortSignal
  /**
   * Runs the effect and records its value under `name`. After a crash, it returns the recorded value and does not run
   * the effect again. Without a record, the effect runs again, so an effect that must not happen twice first records
   * its intent in a separate `once`. With `untilAnswered`, a stopping process does not interrupt the effect during the
   * grace period, so that the outcome of a write in progress does not stay unknown. If the value cannot be recorded,
   * the run stops, but the step does not fail.
   */
  once<T extends Json>(
    name: string,
    effect: (signal: AbortSignal) => Promise<T>,
    options?: { untilAnswered?: boolean },
  ): Promise<T>
  /**
   * Waits for work that continues without this process, such as a job. If the run is doing nothing else, the engine may
   * remove the run from memory in the meantime; in that case, this promise never settles. When the promise of `begin`
   * settles or a report arrives, the step runs again from its effects and gets the same result here. `begin` runs once
   * and must not hold references to the run; its signal aborts when nothing is waiting any more.
   */
  wait<T>(name: string, begin: (deps: WaitContext) => Promise<T>): Promise<T>
  /** Reports progress to watchers. */
  report(progress: StepProgress): void
  /** The execution of a step type in this run whose output `file` is the given path; undefined if there is none. */
  makerOf(uses: string, file: string): MadeFile | undefined
  /**
   * Throws if this process no longer owns the run. This is read from the state. Call it last before a request that must
   * not be repeated, and after every wait. Its error ends the work on the run in this process, and is not recorded. An
   * engine that has to ask over a network returns a promise of a function. Call this function when the connection is
   * ready: it says immediately whether the result is still valid.
   */
  assertOwned(): undefined | Promise<() => boolean>
}

/** A file that a step of the run made, with the input and the outputs of that step. */
export interface MadeFile {
  readonly stepKey: string
  /** `with` of that step, evaluated and checked, in its in-memory form. */
  readonly input: JsonObject
  readonly outputs: JsonObject
}

export interface WaitContext {
  readonly signal: AbortSignal
  report(progress: StepProgress): void
}

export type StepProgress =
  | { readonly kind: 'bytes'; readonly sent: number; readonly total: number }
  /**
   * The step waits for the step execution `by`, which is working on the same thing. Without `by`, the step no longer
   * waits.
   */
  | { readonly kind: 'claim'; readonly thing: string; readonly by: Blocked['by'] | undefined }
  /** No response shows the outcome of a write, so the step looks for the effect of the write. */
  | ({ readonly kind: 'look' } & LookFacts)
  /**
   * The step waits because too many other steps are doing the same work. `ahead` is how many of them come first. It is
   * 0 when it is the step's turn.
   */
  | { readonly kind: 'turn'; readonly ahead: number }
  | ({ readonly kind: 'job' } & JobFacts)

/** The input of a step execution. */
export interface StepRequest {
  /** `with`, evaluated and checked, in its in-memory form. */
  readonly input: JsonObject
  readonly await: AwaitRule | false
}
