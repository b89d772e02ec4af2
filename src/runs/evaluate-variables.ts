import type { Json, JsonObject } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { evaluateTemplate } from '../expressions/evaluate.ts'
import type { Scope } from '../expressions/values.ts'
import { readableVariables } from './readable-variables.ts'

/**
 * The variables of a run, each from the scope and the variables above it. Throws AudienceError `expression-failed`.
 */
export function evaluateVariables({ variables }: Pick<Pipeline, 'variables'>, scope: Scope): JsonObject {
  const values: Record<string, Json> = {}
  for (const [name, { value }] of Object.entries(variables)) {
    values[name] = evaluateTemplate(value, { ...scope, variables: readableVariables({ variables }, values) })
  }
  return values
}
