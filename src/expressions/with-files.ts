import { resolve } from 'node:path'
import { isJsonObject, type Json } from '../core/json.ts'
import type { ObjectSchema } from '../core/json-schema.ts'

/** The fields of a step with absolute file paths: relative ones are resolved against the document's folder. */
export function withFiles(given: Json, { properties }: ObjectSchema, folder: string): Json {
  if (!isJsonObject(given)) return given
  const fields = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === 'string' && properties[name]?.format === 'file' ? resolve(folder, value) : value,
  ])
  return Object.fromEntries(fields)
}
