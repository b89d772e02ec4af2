import { type InputOf, type OperationId, operationOf } from '../contract/operations.ts'
import type { JsonObject } from '../core/json.ts'
import { fieldsAt, pathWriter } from '../http/operation.ts'
import type { ForecastRequest } from '../pipeline/step-plan.ts'

/** The fields that an operation takes, without those that only a step has. */
export function fieldsFor<Id extends OperationId>(id: Id, input: InputOf<Id>): InputOf<Id> & JsonObject {
  const { properties } = operationOf(id).input
  const fields = Object.entries(input).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(fields) as InputOf<Id> & JsonObject
}

/** A request as it would be sent, with the known fields. Unknown fields stay as `{name}` in the path. */
export function requestOf(id: OperationId, input: JsonObject): ForecastRequest {
  const operation = operationOf(id)
  const body = fieldsAt(operation, 'body', input)
  return {
    method: operation.method,
    path: pathWriter(operation.path)(input),
    body: body.length > 0 ? Object.fromEntries(body) : undefined,
  }
}
