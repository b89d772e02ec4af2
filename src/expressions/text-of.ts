import { formatDurationValue, formatTimestamp } from './time.ts'
import { Duration, Timestamp, type Value } from './value.ts'

/** The text form of a value inside a text; undefined for null, lists and maps, which have none. */
export function textOfValue(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      if (value instanceof Timestamp) return formatTimestamp(value)
      return value instanceof Duration ? formatDurationValue(value) : undefined
  }
}
