import type { OperationId } from '../contract/operations.ts'
import type { JsonObject } from '../core/json.ts'
import type { Sender } from './writes/outcome-unknown.ts'
import type { OutcomeLook } from './writes/reconciler.ts'

/** A request that started a job. */
export interface StartedJob {
  readonly operation: OperationId
  readonly input: JsonObject
  /**
   * The service's answer. If the real answer was lost and the result was found afterwards, it has no job and names the
   * resource itself.
   */
  readonly answer: JsonObject
  /** Prefix of its records' names. */
  readonly name?: string
  /** The participant whose approval the job waits for; if absent, the input names it. */
  readonly counterpart?: string
  /** What existed before the request was sent, and was therefore not made by the job. */
  readonly before?: JsonObject
  /** Looks for what the job made, if the job does not say. */
  readonly look?: OutcomeLook
  readonly sentBy?: Sender
}
