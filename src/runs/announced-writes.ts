import { INTENT } from '../core/engine.ts'
import { isJsonObject, type Json } from '../core/json.ts'

/** The operations of the writes that an attempt with these effects has announced. */
export function announcedWrites(effects: ReadonlyMap<string, Json> | undefined): string[] {
  return [...(effects ?? [])].flatMap(([name, value]) =>
    name.endsWith(INTENT) ? [isJsonObject(value) ? String(value.operation) : name] : [],
  )
}
