import { isDate } from '../core/date.ts'
import { closestHint, closestName, didYouMean } from '../core/did-you-mean.ts'
import { count, grouped } from '../core/format/figures.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import type { FieldDeclaration, InputDeclaration } from '../core/pipeline.ts'
import { dateHint } from '../expressions/date-functions.ts'
import { MAX_INT } from '../expressions/int64.ts'

/** The maximum number of objects in a list. The limit of a forEach is the same. */
const MAX_ENTRIES = 10_000

/** The type of an input, or of a part of an input. */
export type Declared = Pick<InputDeclaration, 'type' | 'values' | 'items'>

export interface InputProblem {
  /** The problem without the name, such as `must be an integer`. */
  readonly message: string
  readonly hint?: string | undefined
  /** JSON pointer to the part of the value that is wrong: `/3/file`; "" for the whole. */
  readonly pointer: string
}

export type TypedInput = { readonly value: Json } | { readonly problems: readonly InputProblem[] }

/**
 * Converts a value to an input of its type: integers as bigint, numbers as number, missing fields of objects as their
 * defaults. If anything does not fit, returns all the problems instead.
 */
export function typedInput(declaration: Declared, value: Json): TypedInput {
  const { type, items = 'string' } = declaration
  if (type === 'enum') return typedEnum(declaration.values ?? [], value)
  if (type !== 'list') return typedScalar(type, value)
  if (!Array.isArray(value))
    return problem(
      'must be a list',
      hasFields(declaration) ? LIST_OF_MAPS : isJsonObject(value) ? 'write [a, b]' : `write [${value}]`,
    )
  if (hasFields(declaration) && value.length > MAX_ENTRIES) {
    return problem(`has ${count(value.length, 'entry', 'entries')}; at most ${grouped(MAX_ENTRIES)} are allowed`)
  }
  const other = items === 'string' ? otherItems(value) : undefined
  if (other) {
    const hint = `quote each item, or declare items: ${other}`
    return { problems: [{ pointer: '/0', message: 'must be a string', hint }] }
  }
  const list: Json[] = []
  const problems: InputProblem[] = []
  for (const [index, item] of value.entries()) {
    const typed = typeof items === 'string' ? typedInput({ type: items }, item) : typedEntry(items, item)
    if ('problems' in typed) problems.push(...atPart(String(index), typed.problems))
    else list.push(typed.value)
  }
  return problems.length > 0 ? { problems } : { value: list }
}

/** The common type of items other than strings, if there is one. */
function otherItems(items: readonly Json[]): string | undefined {
  if (items.length === 0) return undefined
  const areAll = (type: 'integer' | 'number' | 'boolean') => items.every((item) => 'value' in typedScalar(type, item))
  // As a number, a long integer would lose its last digits.
  const areNumbers = items.some((item) => typeof item === 'number') && areAll('number')
  return areAll('integer') ? 'integer' : areNumbers ? 'number' : areAll('boolean') ? 'boolean' : undefined
}

const LIST_OF_MAPS = 'write [{ … }, { … }]'

/** Whether the value is a list of objects. */
export function hasFields({ items }: Declared): boolean {
  return typeof items === 'object'
}

/** A part of an input as people write it: `audiences` with the pointer `/3/file` is `audiences[3].file`. */
export function partName(name: string, pointer: string): string {
  return `${name}${pointer.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')}`
}

/** An object in a list, with its declared fields in the order of their declaration. */
function typedEntry(fields: Readonly<Record<string, FieldDeclaration>>, value: Json): TypedInput {
  if (!isJsonObject(value)) return problem(`must be a map of ${Object.keys(fields).join(', ')}`)
  const problems = namingProblems(value, fields)
  const entry: Record<string, Json> = {}
  for (const [name, field] of Object.entries(fields)) {
    const given = value[name] ?? field.default
    if (given === undefined) continue
    const typed = typedInput(field, given)
    if ('problems' in typed) problems.push(...atPart(name, typed.problems))
    else entry[name] = typed.value
  }
  return problems.length > 0 ? { problems } : { value: entry }
}

/**
 * The problems with names: fields that are not declared, and missing fields, unless an undeclared field looks like a
 * misspelling of the missing one.
 */
export function namingProblems(
  given: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, FieldDeclaration>>,
): InputProblem[] {
  const names = Object.keys(fields)
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name))
  const meant = new Set(unknown.map((name) => closestName(name, names)))
  const missing = Object.entries(fields).filter(
    ([name, field]) => (given[name] ?? field.default) === undefined && !meant.has(name),
  )
  return [
    ...unknown.map((name) => ({ pointer: `/${name}`, message: 'is not known', hint: didYouMean(name, names) })),
    ...missing.map(([name, field]) => ({ pointer: `/${name}`, message: 'is missing', hint: field.description })),
  ]
}

/** Problems with a part of a value, with their position in the whole. */
export function atPart(name: string, problems: readonly InputProblem[]): InputProblem[] {
  return problems.map((problem) => ({ ...problem, pointer: `/${name}${problem.pointer}` }))
}

function typedScalar(type: Exclude<InputDeclaration['type'], 'enum' | 'list'>, value: Json): TypedInput {
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return inInt64(value)
      if (typeof value === 'number' && Number.isSafeInteger(value)) return { value: BigInt(value) }
      return problem('must be an integer', withoutQuotes(value, /^-?\d+$/))
    case 'number':
      if (typeof value === 'bigint') return { value: Number(value) }
      return typeof value === 'number' && Number.isFinite(value)
        ? { value }
        : problem('must be a number', withoutQuotes(value, /^-?\d+(\.\d+)?$/))
    case 'boolean':
      return typeof value === 'boolean'
        ? { value }
        : problem('must be true or false', withoutQuotes(value, /^(true|false)$/))
    case 'date':
      return typeof value === 'string' && isDate(value)
        ? { value }
        : problem('must be a date such as 2026-01-31', typeof value === 'string' ? dateHint(value) : undefined)
    case 'file':
      return typeof value === 'string' && value.trim() !== '' ? { value } : problem('must be the path of a file')
    case 'string':
      return typeof value === 'string' ? { value } : problem('must be a string', 'quote it')
  }
}

/** A hint for a value that is text only because of its quotes. */
function withoutQuotes(value: Json, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? `write ${value} without quotes` : undefined
}

function typedEnum(values: readonly string[], value: Json): TypedInput {
  if (typeof value === 'string' && values.includes(value)) return { value }
  const hint = typeof value === 'string' ? closestHint(value, values) : 'quote it'
  return problem(`must be one of ${values.join(', ')}`, hint)
}

function inInt64(value: bigint): TypedInput {
  return value <= MAX_INT && value >= -MAX_INT - 1n ? { value } : problem('does not fit in 64 bits')
}

function problem(message: string, hint?: string | undefined): { readonly problems: readonly InputProblem[] } {
  return { problems: [{ message, hint, pointer: '' }] }
}
