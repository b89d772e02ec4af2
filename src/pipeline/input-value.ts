import { closestHint } from '../core/did-you-mean.ts'
import type { Json } from '../core/json.ts'
import type { InputDeclaration } from '../core/pipeline.ts'
import { isDate } from '../expressions/date-functions.ts'
import { MAX_INT } from '../expressions/int64.ts'

export type TypedInput =
  | { readonly value: Json }
  | { readonly problem: { readonly message: string; readonly hint?: string | undefined } }

type ItemType = NonNullable<InputDeclaration['items']>
type Declared = Pick<InputDeclaration, 'type' | 'values' | 'items'>

/**
 * Converts a value to an input of its type: integers as bigint, numbers as number; otherwise returns a sentence that
 * says why it does not fit.
 */
export function typedInput(declaration: Declared, value: Json): TypedInput {
  const { type } = declaration
  if (type === 'enum') return typedEnum(declaration.values ?? [], value)
  if (type !== 'list') return typedScalar(type, value)
  if (!Array.isArray(value)) return problem('must be a list', 'write [a, b]')
  const items: Json[] = []
  for (const [index, item] of value.entries()) {
    const typed = typedScalar(declaration.items ?? 'string', item)
    if ('problem' in typed)
      return problem(`has a wrong item ${index + 1}: it ${typed.problem.message}`, typed.problem.hint)
    items.push(typed.value)
  }
  return { value: items }
}

/** Converts text, as a command line gives it, to an input. */
export function inputFromText(declaration: Declared, text: string): TypedInput {
  switch (declaration.type) {
    case 'integer':
      return /^[+-]?\d{1,19}$/.test(text) ? typedInput(declaration, BigInt(text)) : typedInput(declaration, text)
    case 'number':
      return NUMBER.test(text) ? typedInput(declaration, Number(text)) : typedInput(declaration, text)
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : typedInput(declaration, text)
    default:
      return typedInput(declaration, text)
  }
}

const NUMBER = /^[+-]?(\d{1,30}(\.\d{1,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?$/

function typedScalar(type: ItemType, value: Json): TypedInput {
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return inInt64(value)
      if (typeof value === 'number' && Number.isSafeInteger(value)) return { value: BigInt(value) }
      return problem('must be an integer')
    case 'number':
      if (typeof value === 'bigint') return { value: Number(value) }
      return typeof value === 'number' && Number.isFinite(value) ? { value } : problem('must be a number')
    case 'boolean':
      return typeof value === 'boolean' ? { value } : problem('must be true or false')
    case 'date':
      return typeof value === 'string' && isDate(value) ? { value } : problem('must be a date such as 2026-01-31')
    case 'file':
      return typeof value === 'string' && value.trim() !== '' ? { value } : problem('must be the path of a file')
    case 'string':
      return typeof value === 'string' ? { value } : problem('must be a string', 'quote it')
  }
}

function typedEnum(values: readonly string[], value: Json): TypedInput {
  if (typeof value === 'string' && values.includes(value)) return { value }
  const hint = typeof value === 'string' ? closestHint(value, values) : 'quote it'
  return problem(`must be one of ${values.join(', ')}`, hint)
}

function inInt64(value: bigint): TypedInput {
  return value <= MAX_INT && value >= -MAX_INT - 1n ? { value } : problem('does not fit 64 bits')
}

function problem(message: string, hint?: string | undefined): TypedInput {
  return { problem: { message, hint } }
}
