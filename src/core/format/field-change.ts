import type { Json } from '../json.ts'
import { count, grouped } from './figures.ts'

/** A field that a write changes. */
export interface FieldChange {
  /** Its name; for a nested field, the path with dots: `testControl.shaveOffPercent`. */
  readonly field: string
  /** Its value now; null if there is none, absent if it is not known. */
  readonly from?: Json
  /** Its value after the write. */
  readonly to: Json
}

/** What is known about the list that a segment is built from. */
export interface ListChange {
  readonly rows: number
  /** For a prepared list: its people, and how many people are new or gone since the last run. */
  readonly keys?: number
  readonly added?: number
  readonly removed?: number
}

/** `segmentName: "Tick" → "Tick tock"`. */
export function describeChange({ field, from, to }: FieldChange): string {
  return `${field}: ${from === undefined ? 'not known' : valueText(from)} → ${valueText(to)}`
}

/** `5,201 rows, 5,195 people, 1,204 added, 88 gone`. */
export function describeListChange({ rows, keys, added, removed }: ListChange): string {
  const facts = [count(rows, 'row')]
  if (keys !== undefined) facts.push(count(keys, 'person', 'people'))
  if (added !== undefined) facts.push(`${grouped(added)} added`)
  if (removed !== undefined) facts.push(`${grouped(removed)} gone`)
  return facts.join(', ')
}

/** Longer values are cut. */
const MAX_SHOWN = 80

function valueText(value: Json): string {
  if (value === null || value === '') return 'nothing'
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
