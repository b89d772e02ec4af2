import type { ApiClient } from '../adapter/api-client.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import type { ErrorReport } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { Ledger } from '../core/ledger.ts'
import type { FinalStatus } from '../core/run.ts'
import type { StepType } from '../core/step-type.ts'
import type { Post } from '../notify/post-json.ts'

/** A step type with how it does its work. */
export interface RunnableStepType extends StepType {
  /** Resolves with the outputs, which fit `output`. */
  run(context: StepContext, request: StepRequest, services: StepServices): Promise<JsonObject>
}

/** What step types work with. */
export interface StepServices {
  readonly api: ApiClient
  readonly ledger: Ledger
  /** The profile whose service `api` is; part of every ledger key. */
  readonly profile: string
  readonly clock: SteadyClock
  readonly childRuns: ChildRuns
  /** Throws where a file may not be used. */
  readonly checkFile: (path: string) => void
  /** Sends to web hooks that documents may call. */
  readonly post: Post
}

/** Runs that a run starts. */
export interface ChildRuns {
  /**
   * Starts the pipeline of a document as a run of its own and tells its id; for the same attempt of the same step it is
   * the same run. Where the parent repeats an earlier run, it begins with what succeeded in the run that was started
   * there for the same document and inputs. Throws AudienceErrors for a document or inputs that are not valid, and where
   * runs nest too deep.
   */
  submit(request: {
    readonly parent: string
    readonly stepKey: string
    readonly attempt: number
    readonly file: string
    readonly inputs: JsonObject
  }): Promise<string>
  /** How the run ended. Goes on with it where nobody does; cancels it when `signal` aborts because its parent was cancelled. */
  end(
    runId: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: FinalStatus; readonly outputs: JsonObject; readonly error?: ErrorReport }>
}
