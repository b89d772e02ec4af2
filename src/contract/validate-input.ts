import type { JsonSchema } from '../core/json-schema.ts'
import { type SchemaViolation, violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { type OperationId, operationOf } from './operations.ts'

/**
 * The violations of the contract in an operation's input; empty if there are none. Ids in the input are decimal
 * strings.
 */
export function validateInput(id: OperationId, input: unknown): SchemaViolation[] {
  const operation = operationOf(id)
  return violationsOf(validators[id], input, operation.rules, operation.input)
}

/**
 * The violations that a client checks before it sends the input. They do not include violations of limits that the
 * contract does not state. The service enforces these limits (decision 145).
 */
export function validateForSending(id: OperationId, input: unknown): SchemaViolation[] {
  return withoutServiceLimits(validateInput(id, input), operationOf(id).input)
}

export function withoutServiceLimits(
  violations: readonly SchemaViolation[],
  { properties = {} }: JsonSchema,
): SchemaViolation[] {
  return violations.filter(({ pointer, keyword }) => {
    const isLimit = keyword === 'maxLength' || keyword === 'minimum'
    return !isLimit || properties[pointer.slice(1)]?.['x-client'] !== 'sends'
  })
}
