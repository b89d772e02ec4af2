import type { InputItem } from '../../api/types.ts'

export type Texts = Readonly<Record<string, string>>

/**
 * An object in a list, as a person has typed it so far. Its `id` stays the same when other rows are added or removed.
 */
export interface FormRow {
  readonly id: number
  readonly texts: Texts
}

/** The content of the form for an input: a text, or the rows of a list of objects. */
export type FormEntry = string | readonly FormRow[]

/** The content of the form before anybody types. It is the default of the input. */
export function startEntry({ default: value, fields }: Pick<InputItem, 'default' | 'fields'>): FormEntry {
  if (fields) return formRows(Array.isArray(value) ? value.map(textsOf) : [])
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join('\n')
  return textOf(value)
}

/** Makes new rows with these texts. */
export function formRows(texts: readonly Texts[], firstId = 0): FormRow[] {
  return texts.map((row, index) => ({ id: firstId + index, texts: row }))
}

/** Turns an object into the text of its fields. */
export function textsOf(value: unknown): Texts {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, textOf(part)]))
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}
