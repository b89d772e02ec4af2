import type { JsonObject } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { toExpressionValue } from '../expressions/values.ts'

/** Variables in the form that expressions read, because in recorded JSON an integer and a number look alike. */
export function readableVariables({ variables }: Pick<Pipeline, 'variables'>, values: JsonObject): JsonObject {
  const readable = Object.entries(values).map(([name, value = null]) => [
    name,
    toExpressionValue(variables[name]?.schema ?? {}, value),
  ])
  return Object.fromEntries(readable)
}
