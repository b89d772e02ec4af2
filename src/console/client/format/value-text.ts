import { numberText } from './numbers.ts'

/** A value of an input or output in one line. */
export function valueText(value: unknown): string {
  if (value === undefined) return '–'
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  return JSON.stringify(value)
}
