import { type SchemaViolation, violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { type OperationId, operationOf } from './operations.ts'

/** How an operation's input (in memory: ids as decimal strings) breaks the contract; empty when it does not. */
export function validateInput(id: OperationId, input: unknown): SchemaViolation[] {
  return violationsOf(validators[id], input, operationOf(id).rules)
}
