import { isBlank, isColumnName, isKeyOf } from '../contract/signal-key.ts'
import { trimmedText } from '../contract/visible-text.ts'

/**
 * Whether the first field of a column is the column's name, which makes the first record a header. Such a field is a
 * name of the signal, or looks like a column name. A field that is merely not a key can be a person's damaged key.
 */
export function isHeaderField(signal: string, field: string): boolean {
  return !isBlank(field) && isColumnName(signal, field) && (isKeyOf(signal, field) || isName(field))
}

/** Whether a field looks like a name. A damaged key has other characters, or more digits. */
export function isName(field: string): boolean {
  return NAME.test(trimmedText(field))
}

const NAME = /^(?=.{1,60}$)\p{L}[\p{L}\p{M}]{0,29}(?:[ _/()-]{1,3}[\p{L}\p{M}]{1,29}){0,5}[ _-]?\d{0,2}[ .:)]?$/u
