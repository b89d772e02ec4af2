import type { OperationId } from '../contract/operations.ts'
import type { JsonObject } from '../core/json.ts'
import type { Look } from './reconcile/reconciler.ts'

/** A request that started a job. */
export interface StartedJob {
  readonly operation: OperationId
  readonly input: JsonObject
  /**
   * What the service answered. Without a job, when it was found after the real answer was lost; it names the resource
   * itself then.
   */
  readonly answer: JsonObject
  /** Stands before the names of the records. */
  readonly name?: string
  /** Looks for what the job made, should it not say. */
  readonly look?: Look
}
