import { toWire } from '../../contract/wire.ts'
import { type Json, stringifyJson } from '../../core/json.ts'
import type { JsonSchema } from '../../core/json-schema.ts'

/** The encoder of an operation's outputs; it searches for 64-bit ids only in outputs that can have them. */
export function encoderOf(schema: JsonSchema | null): (output: Json) => string {
  if (schema === null) return () => ''
  return hasInt64(schema) ? (output) => stringifyJson(toWire(schema, output)) : (output) => JSON.stringify(output)
}

function hasInt64({ format, items, properties = {} }: JsonSchema): boolean {
  return format === 'int64' || (items !== undefined && hasInt64(items)) || Object.values(properties).some(hasInt64)
}
