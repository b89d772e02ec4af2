import { basename } from 'node:path'
import type { JsonObject } from '../../core/json.ts'

/**
 * What started a run, for people: a slot of a schedule with its zone, a file, another run, or a person. `by` is that
 * person.
 */
export function describeTrigger(trigger: JsonObject, by?: string): string {
  const { kind, id, date, time, timezone, name, file, parent } = trigger
  switch (kind) {
    case 'schedule':
      return `${id} ${date} ${time} ${timezone}`
    case 'watch':
      return `file ${typeof name === 'string' ? name : basename(String(file))}`
    case 'run':
      return `run ${parent}`
    case 'manual':
      return by ?? 'a person'
    default:
      return String(kind ?? '')
  }
}
