import type { FieldItem, InputItem } from '../../api/types.ts'
import { type FormEntry, type FormRow, startEntry } from './entries.ts'

export interface InputValues {
  readonly values: Readonly<Record<string, unknown>>
  /**
   * A sentence for each wrong input or wrong part of an input. The keys are names such as `amount` and
   * `audiences[3].file`.
   */
  readonly wrong: Readonly<Record<string, string>>
}

/** Reads a part. If that fails, notes the error as a sentence about `name`. */
type Attempt = (part: string, read: () => unknown, name?: string) => unknown

/** Reads the values as typed. If a field is empty or unchanged, the input gets its default. */
export function readFormInputs(
  inputs: readonly InputItem[],
  entries: Readonly<Record<string, FormEntry>>,
): InputValues {
  const values: Record<string, unknown> = {}
  const wrong: Record<string, string> = {}
  const attempt: Attempt = (part, read, name = part) => {
    try {
      return read()
    } catch (error) {
      const { message } = error as Error
      wrong[part] = `${name} ${error instanceof SyntaxError ? `is not JSON: ${message}` : message}`
      return undefined
    }
  }
  for (const input of inputs) {
    const { name, required } = input
    const entry = entries[name] ?? ''
    if (!required && isSame(entry, startEntry(input))) continue
    const value = attempt(name, () => {
      if (typeof entry !== 'string') return objectsOf(input, entry, attempt)
      if (entry.trim() !== '' || input.type === 'string') return readValue(input, entry)
      if (required) throw new Error('is required')
      return undefined
    })
    if (value !== undefined) values[name] = value
  }
  return { values, wrong }
}

/** The name of a field of an object in a list, as the API writes it. */
export function rowFieldName(list: string, index: number, field: string): string {
  return `${list}[${index}].${field}`
}

function objectsOf(
  { name, required, fields = [] }: InputItem,
  rows: readonly FormRow[],
  attempt: Attempt,
): readonly object[] {
  if (required && rows.length === 0) throw new Error('needs at least one row')
  return rows.map(({ texts }, index) => {
    const values = fields.map((field) => [
      field.name,
      attempt(rowFieldName(name, index, field.name), () => readField(field, texts[field.name] ?? ''), field.name),
    ])
    return Object.fromEntries(values.filter(([, value]) => value !== undefined))
  })
}

/** Reads a field of an object. If the field is empty, it gets its default. */
function readField(field: FieldItem, text: string): unknown {
  if (text.trim() !== '') return readValue(field, text)
  if (field.required) throw new Error('is required')
  return undefined
}

function isSame(a: FormEntry, b: FormEntry): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return JSON.stringify(a.map(({ texts }) => texts)) === JSON.stringify(b.map(({ texts }) => texts))
}

/**
 * Reads a text that is not empty. Throws an error whose message continues a sentence that begins with the name of the
 * input.
 */
function readValue({ type, items = 'string' }: Pick<InputItem, 'type' | 'items'>, text: string): unknown {
  return type === 'list' ? readList(text.trim(), items) : readScalar(type, text)
}

function readScalar(type: string, text: string): unknown {
  const trimmed = text.trim()
  switch (type) {
    case 'integer':
      if (!/^[+-]?\d+$/.test(trimmed)) throw new Error('has to be a whole number')
      return Number.isSafeInteger(Number(trimmed)) ? Number(trimmed) : trimmed
    case 'number':
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) throw new Error('has to be a number')
      return Number(trimmed)
    case 'boolean':
      if (!/^(true|false)$/.test(trimmed)) throw new Error('has to be true or false')
      return trimmed === 'true'
    case 'date':
      if (!/^\d{4}-\d\d-\d\d$/.test(trimmed)) throw new Error('has to be a date such as 2026-01-31')
      return trimmed
    default:
      return text
  }
}

/** Reads a JSON list, or one value per line. */
function readList(text: string, items: string): readonly unknown[] {
  if (!text.startsWith('[')) {
    const lines = text.split('\n').map((line) => line.trim())
    return lines.filter((line) => line !== '').map((line) => readScalar(items, line))
  }
  const list = exactJson(text)
  if (!Array.isArray(list)) throw new Error('has to be a list')
  return list
}

/** Parses a JSON text. An integer that a number cannot hold becomes a string of its digits. Throws a SyntaxError. */
export function exactJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) => {
    const source = context?.source ?? ''
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value
  })
}
