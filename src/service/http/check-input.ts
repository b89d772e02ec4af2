import { type Operation, placeOf } from '../../contract/operation.ts'
import { type InputOf, type OperationId, operationOf } from '../../contract/operations.ts'
import { validateInput } from '../../contract/validate-input.ts'
import { propertyOf, type SchemaViolation } from '../../core/validation.ts'
import { ApiError, type ProblemItem } from '../api-error.ts'
import type { DecodedInput } from './decode-input.ts'

/** The input of a request, as handlers take it. Throws a 400 with everything that is wrong with it. */
export function checkInput<Id extends OperationId>(id: Id, { input, items }: DecodedInput): InputOf<Id> {
  if (items.length > 0) throw invalid(items)
  if (fits(id, input)) return input
  throw invalid(validateInput(id, input).map((violation) => problemItem(operationOf(id), violation)))
}

function fits<Id extends OperationId>(id: Id, input: unknown): input is InputOf<Id> {
  return validateInput(id, input).length === 0
}

function invalid(items: readonly ProblemItem[]): ApiError {
  return new ApiError('invalid-request', items.map(sentence).join('; '), { items })
}

function problemItem(operation: Operation, violation: SchemaViolation): ProblemItem {
  const missing = propertyOf(violation)
  const pointer = missing === undefined ? violation.pointer : `${violation.pointer}/${missing}`
  const name = pointer.split('/')[1]
  const { message } = violation
  if (name === undefined || placeOf(operation, name) === 'body') return { pointer, message }
  return { parameter: name, message }
}

function sentence({ pointer, parameter, message }: ProblemItem): string {
  const name = parameter ?? pointer?.slice(1)
  return !name || message.startsWith(name) ? message : `${name} ${message}`
}
