import type { FieldChange } from '../core/format/field-change.ts'
import { isSameJson, type Json } from '../core/json.ts'
import { shown } from './shown.ts'

/**
 * The fields that a write changes. `before` gives the current value, undefined if it is not known. "", null and absent
 * count as equal (decision 138), and a field that is not given stays unchanged.
 */
export function fieldChanges(
  fields: readonly string[],
  given: Readonly<Record<string, unknown>>,
  before: (field: string) => unknown,
): FieldChange[] {
  return fields.flatMap((field) => {
    const wanted = given[field]
    const is = before(field)
    if (wanted === undefined || (is !== undefined && isSame(wanted, is))) return []
    return [is === undefined ? { field, to: jsonOf(wanted) } : { field, from: jsonOf(is), to: jsonOf(wanted) }]
  })
}

function isSame(wanted: unknown, is: unknown): boolean {
  if (wanted === false && is === null) return true
  return isSameJson(jsonOf(wanted), jsonOf(is))
}

/** Both come from JSON. */
function jsonOf(value: unknown): Json {
  return (shown(value) ?? null) as Json
}
