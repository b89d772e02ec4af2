import { validateForSending } from '../contract/validate-input.ts'
import { type AudienceError, invalidError } from '../core/errors.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { propertyOf, type SchemaViolation } from '../core/validation.ts'
import { isPathValue } from '../http/operation.ts'
import type { RequestPlan } from './request-plan.ts'
import type { WarnOnce } from './warn-once.ts'

/**
 * Returns the input to send. Throws `invalid-input` with all violations (decisions 21, 60, 77). If only our own service
 * is known to refuse the input, logs a warning (decision 41).
 */
export function checkedInput(plan: RequestPlan, input: unknown, warn: WarnOnce): JsonObject {
  const violations: SchemaViolation[] = []
  for (const violation of validateForSending(plan.id, input)) {
    if (violation.isAdvice) warn(`${plan.id}: ${violation.message}`)
    else violations.push(violation)
  }
  if (violations.length > 0 || !isJsonObject(input)) throw invalidInput(plan.id, violations)
  const unusable = plan.pathFields.filter((name) => !isPathValue(String(input[name])))
  if (unusable.length > 0) throw invalidInput(plan.id, unusable.map(unusablePathValue))
  return input
}

function invalidInput(operation: string, violations: readonly SchemaViolation[]): AudienceError {
  return invalidError(
    'invalid-input',
    `${operation} cannot be sent: ${violations.map(sentence).join('; ')}`,
    `correct the input of ${operation}; nothing was sent`,
  )
}

function unusablePathValue(name: string): SchemaViolation {
  return { pointer: `/${name}`, keyword: 'path', message: 'cannot be part of a path', params: {} }
}

function sentence(violation: SchemaViolation): string {
  const name = violation.pointer.slice(1)
  return name === '' || propertyOf(violation) === name ? violation.message : `${name} ${violation.message}`
}
