import { type ObjectSchema, object } from '../../core/json-schema.ts'
import type { HttpOperation } from '../../http/operation.ts'

/** The addresses of the control API begin with this. */
export const CONTROL_PREFIX = '/_control'

/** One operation of the control API, as data. The console derives its operations on the embedded service from these. */
export interface ControlOperation extends HttpOperation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The answer; null if the answer is a CSV file. A field that is not required may be null or missing. */
  readonly output: ObjectSchema | null
  /** A description of the answer, if the names of its fields are not enough. */
  readonly answer?: string
  /** Whether the operation needs no token. */
  readonly open?: true
}

/** The field that says how many entries of a list are wanted. */
export const limitField = (maximum: number) =>
  ({ type: 'integer', minimum: 1, maximum, description: 'How many at most. Default: 100.' }) as const
/** The input of a list without a filter. */
export const newestInput = object([], { limit: limitField(1000) })
/** An id of the service, as text. */
export const idField = (description: string) => ({ type: 'string', pattern: '^[0-9]{1,18}$', description }) as const
export const participantField = (description: string) => ({ type: 'integer', minimum: 1, description }) as const

export const constant = <const Value extends string>(value: Value) => ({ const: value }) as const
/** The answer to an operation that only says what was done. */
export const doneAnswer = <const Act extends string>(act: Act) => object(['done'], { done: constant(act) })

/** The description of a list that covers all participants. */
export const OF_ALL = 'Of all participants, newest first.'
