import { resolve } from 'node:path'
import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'

/** The fields of a step with absolute file paths: relative ones are resolved against the document's folder. */
export function withFiles(given: Json, schema: JsonSchema, folder: string): Json {
  if (typeof given === 'string') return schema.format === 'file' ? resolve(folder, given) : given
  if (!isJsonObject(given)) return given
  const { properties = {} } = schema
  const fields = Object.entries(given).map(([name, value = null]) => [
    name,
    Object.hasOwn(properties, name) ? withFiles(value, properties[name] ?? {}, folder) : value,
  ])
  return Object.fromEntries(fields)
}
