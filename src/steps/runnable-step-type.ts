import type { ApiClient } from '../adapter/api-client.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import type { ErrorReport } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { FinalStatus } from '../core/run.ts'
import type { StepType } from '../core/step-type.ts'
import type { Post } from '../notifications/channels/post-json.ts'
import type { StepMemory } from '../state/step-memory.ts'

/** A step type together with its implementation. */
export interface RunnableStepType extends StepType {
  /** Resolves with the outputs, which fit `output`. */
  run(context: StepContext, request: StepRequest, services: StepServices): Promise<JsonObject>
}

/** What step types need for their work. */
export interface StepServices {
  readonly api: ApiClient
  readonly stepMemory: StepMemory
  /** The profile whose service `api` is; part of every step memory key. */
  readonly profile: string
  readonly clock: SteadyClock
  readonly childRuns: ChildRuns
  /** Throws if a file may not be used. */
  readonly checkFile: (path: string) => void
  /** Sends to web hooks that documents are allowed to call. */
  readonly post: Post
}

/** Runs that another run starts. */
export interface ChildRuns {
  /**
   * Starts the pipeline of a document as a run of its own and returns its id; the same attempt of the same step always
   * gets the same run. If the parent repeats an earlier run, the new run keeps the steps that succeeded in the child of
   * that run, for the same document and inputs. Throws AudienceErrors for an invalid document, for invalid inputs, and
   * when runs nest too deep.
   */
  submit(request: {
    readonly parent: string
    readonly stepKey: string
    readonly attempt: number
    readonly file: string
    readonly inputs: JsonObject
  }): Promise<string>
  /**
   * Waits for the end of the run. Resumes the run if no process owns it; cancels it when `signal` aborts because the
   * parent was cancelled.
   */
  end(
    runId: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: FinalStatus; readonly outputs: JsonObject; readonly error?: ErrorReport }>
}
