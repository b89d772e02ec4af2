import type { Json, JsonObject } from './json.ts'
import type { AwaitRule, Pipeline } from './pipeline.ts'
import type { Decision, GitVersion, RunGroup, RunTrigger, Seed, StepRef } from './run.ts'
import type { RunEvent } from './run-event.ts'
import type { Occurrence } from './trigger-ledger.ts'

/**
 * The engine port: runs pipelines durably. The embedded journal implements it; a distributed one can later. Every
 * implementation passes test/contract/engine-suite.ts.
 */
export interface Engine {
  /**
   * Records the run, and starts it as soon as its groups have room. Durable when it resolves: the run ends, whatever
   * happens to this process.
   */
  submit(request: RunRequest): Promise<Submission>
  /** Goes on with a run that has not ended, from what is recorded of it. Throws where another process does so already. */
  resume(runId: string): Promise<void>
  /** Ends a run that has not ended. What the service is doing for it goes on there: there is no way to stop that. */
  cancel(runId: string): Promise<void>
  /** Tells a step that waits for a person what was decided. */
  decide(runId: string, ref: StepRef, decision: Decision): Promise<void>
  /** What happened in a run, then what happens in it, until it ends or the engine stops. */
  events(runId: string): AsyncIterable<RunEvent>
  /** Calls back for all events of the runs that this process works on, until the returned function is called. */
  watch(listener: (event: RunEvent) => void): () => void
  /**
   * What there is to do in this process: runs being worked on, those that it could not resume yet among them, and what is
   * waited for in all runs.
   */
  load(): { readonly runs: number; readonly waits: number }
  /** The runs of this process that nothing is done for: a record could not be written, or resuming failed; it is tried again. */
  stuck(): readonly string[]
  /** Takes up runs that nobody works on, now and from then on, until `stop`. */
  start(): void
  /** Ends all work within `graceMs`. Runs that have not ended stay as they are recorded and can be resumed. */
  stop(graceMs: number): Promise<void>
}

export interface RunRequest {
  readonly runId: string
  readonly pipeline: Pipeline
  readonly inputs: JsonObject
  readonly trigger: RunTrigger
  /** Absolute path of the document's folder: relative files in `with` are looked for there. */
  readonly folder: string
  /** At most one run has the same key. */
  readonly dedupeKey?: string
  /** The occurrence of a trigger that the run is made of: recorded with it, and at most one run is made of it. */
  readonly occurrence?: RunOccurrence
  /** Runs of a group share its limit. */
  readonly groups?: readonly RunGroup[]
  /** The run that starts this one and waits for it, so that this one takes no place of its own. */
  readonly parent?: string
  /** The commit that the document is of. */
  readonly git?: GitVersion
  /** What is not to be done again. */
  readonly seed?: Seed
}

export type RunOccurrence = Pick<Occurrence, 'trigger' | 'key' | 'at' | 'detail' | 'open'>

/** What became of a submission. */
export interface Submission {
  /** The new run; or the one that there is already, that is in the way. */
  readonly runId: string
  /** Nothing was added. */
  readonly existing: boolean
  /** `skipped` and `refused`: a group is full, and its `onConflict` says so. */
  readonly state: 'running' | 'queued' | 'existing' | 'skipped' | 'refused'
}

/**
 * How the name of an effect ends that announces a write which must not be sent twice. An attempt that has one and runs
 * out of time, or whose outputs do not meet an expectation, is followed by one that goes on from its records. Its value
 * names the `operation`.
 */
export const INTENT = 'intent'

/**
 * The name of the effect that keeps the id of a run which a step started. It announces a write like any other: an attempt
 * that is out of time is followed by one that waits for the same run.
 */
export const CHILD_RUN = `child.${INTENT}`

/** What a step type gets to do its work with. */
export interface StepContext {
  readonly runId: string
  readonly stepId: string
  /** The step execution as people write it: its id, in a forEach with its index, such as `each[3]`. */
  readonly stepKey: string
  readonly attempt: number
  readonly pipeline: string
  /** What a person decided about this step since it began to wait. */
  readonly decision?: Decision
  /** Aborts when the run stops, is cancelled or the step is out of time. */
  readonly signal: AbortSignal
  /**
   * Runs the effect and records its value under `name`. After a crash the recorded value comes back and the effect does
   * not run again; without a record it runs again, so an effect that must not happen twice records its intent in a
   * `once` of its own first; with `untilAnswered` it is not interrupted when the process stops, while the grace lasts, so
   * that a write that is under way is not left in doubt. A value that could not be recorded stops the run, and never fails the step.
   */
  once<T extends Json>(
    name: string,
    effect: (signal: AbortSignal) => Promise<T>,
    options?: { readonly untilAnswered?: boolean },
  ): Promise<T>
  /**
   * Waits for something that goes on without this process, such as a job. Where that is all that a run does, the engine
   * may forget the run meanwhile: then this never comes to an end, and the step runs again from its effects when the
   * promise of `begin` has settled or something was reported, and gets the same here. `begin` runs once and must hold on
   * to nothing of the run; its signal aborts when nobody waits any more.
   */
  wait<T>(name: string, begin: (means: WaitMeans) => Promise<T>): Promise<T>
  /** Tells what is going on, for people who watch. */
  report(progress: StepProgress): void
  /**
   * Throws where this process does not own the run any more, read from the state: the last question before a request
   * that may not be repeated, after every wait. What it throws ends the work on the run here, and nothing of it is
   * recorded. An engine that has to ask over a network answers with a promise.
   */
  assertOwned(): void | Promise<void>
}

export interface WaitMeans {
  readonly signal: AbortSignal
  report(progress: StepProgress): void
}

export type StepProgress =
  | { readonly kind: 'bytes'; readonly sent: number; readonly total: number }
  | { readonly kind: 'job'; readonly jobId: string; readonly status: string; readonly waitedMs: number }

/** What a step execution is asked to do. */
export interface StepRequest {
  /** `with`, evaluated and checked, in memory form. */
  readonly input: JsonObject
  readonly await: AwaitRule | false
}
