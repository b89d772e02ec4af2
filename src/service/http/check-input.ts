import { placeOf } from '../../contract/operation.ts'
import { type InputOf, type OperationId, operationOf } from '../../contract/operations.ts'
import { validateInput } from '../../contract/validate-input.ts'
import { propertyOf, type SchemaViolation } from '../../core/validation.ts'
import { ApiError, type ProblemItem } from '../api-error.ts'
import type { DecodedInput } from './decode-input.ts'

/** The input of a request, in the form that handlers take. Throws a 400 that lists every problem. */
export function checkInput<Id extends OperationId>(id: Id, { input, items }: DecodedInput): InputOf<Id> {
  if (items.length > 0) throw invalidInput(items)
  if (fits(id, input)) return input
  const isInBody = (name: string) => placeOf(operationOf(id), name) === 'body'
  throw invalidInput(validateInput(id, input).map((violation) => problemItem(violation, isInBody)))
}

function fits<Id extends OperationId>(id: Id, input: unknown): input is InputOf<Id> {
  return validateInput(id, input).length === 0
}

/** A 400 that lists every problem. */
export function invalidInput(items: readonly ProblemItem[]): ApiError {
  return new ApiError('invalid-request', items.map(sentence).join('; '), { items })
}

/** The place of a violation in the caller's terms: a pointer into the body, or a parameter. */
export function problemItem(violation: SchemaViolation, isInBody: (name: string) => boolean): ProblemItem {
  const missing = propertyOf(violation)
  const pointer = missing === undefined ? violation.pointer : `${violation.pointer}/${missing}`
  const name = pointer.split('/')[1]
  const { message } = violation
  return name === undefined || isInBody(name) ? { pointer, message } : { parameter: name, message }
}

function sentence({ pointer, parameter, message }: ProblemItem): string {
  const name = parameter ?? pointer?.slice(1)
  return !name || message.startsWith(name) ? message : `${name} ${message}`
}
