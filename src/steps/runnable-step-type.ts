import type { ApiClient } from '../adapter/api-client.ts'
import type { Clock } from '../core/clock.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import type { JsonObject } from '../core/json.ts'
import type { Ledger } from '../core/ledger.ts'
import type { StepType } from '../core/step-type.ts'

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
  readonly clock: Clock
}
