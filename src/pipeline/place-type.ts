import { closestHint, didYouMean } from '../core/did-you-mean.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { Problem } from '../document/diagnostic-collector.ts'
import { describeType, type RecordType, type Type } from '../expressions/types.ts'
import { withArticle } from '../expressions/value.ts'

/** Why values of a type do not fit a position that a schema describes; undefined if they fit or may fit. */
export function misfit(type: Type, schema: JsonSchema): Problem | undefined {
  if (type.kind === 'dyn') return undefined
  if (schema.enum) return misfitOfEnum(type, schema.enum)
  const wanted = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (!wanted || wanted.length === 0) return type.kind === 'duration' ? wrongType(type, 'a value') : undefined
  if (wanted.some((name) => accepts(name, type, schema))) {
    if (type.kind === 'list' && schema.items) return misfit(type.items, schema.items)
    return type.kind === 'map' && type.record ? misfitOfRecord(type.record, schema) : undefined
  }
  const names = wanted.filter((name) => name !== 'null').map((name) => withArticle(NAMES[name] ?? name))
  return wrongType(type, schema.format === 'int64' ? 'an integer' : names.join(' or '))
}

/** A map whose fields are known, where an object of a known shape is needed. */
function misfitOfRecord({ fields }: RecordType, { properties = {}, required = [], ...schema }: JsonSchema) {
  const missing = required.find((name) => !Object.hasOwn(fields, name))
  if (missing !== undefined)
    return wrongField(`a map with ${missing} is needed here, but the expression gives one without it`)
  for (const [name, type] of Object.entries(fields)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    const problem = field && misfit(type, field)
    if (problem) return wrongField(`${name}: ${problem.message}`, problem.hint)
    if (field || schema.additionalProperties !== false) continue
    return wrongField(`a map without ${name} is needed here`, didYouMean(name, Object.keys(properties)))
  }
  return undefined
}

function wrongField(message: string, hint?: string): Problem {
  return { code: 'expression-type', message, hint }
}

function accepts(name: string, { kind }: Type, { format }: JsonSchema): boolean {
  // A 64-bit id is a decimal string in memory and an integer in expressions.
  if (name === 'string' && kind === 'int') return format === 'int64'
  return ACCEPTED[name]?.includes(kind) ?? false
}

/** The kinds of values that a JSON type takes. */
const ACCEPTED: Readonly<Record<string, readonly Type['kind'][]>> = {
  string: ['string', 'timestamp'],
  integer: ['int'],
  number: ['int', 'double'],
  boolean: ['bool'],
  array: ['list'],
  object: ['map'],
  null: ['null'],
}

function misfitOfEnum(type: Type, options: readonly unknown[]): Problem | undefined {
  const texts = options.filter((option) => typeof option === 'string')
  if (texts.length === options.length) {
    if (type.kind !== 'string') return wrongType(type, 'a string')
    const wrong = type.values?.find((value) => !texts.includes(value))
    if (wrong === undefined) return undefined
    const message = `${wrong} is not one of ${texts.join(', ')}`
    return { code: 'expression-type', message, hint: closestHint(wrong, texts) }
  }
  return type.kind === 'int' || type.kind === 'double' ? undefined : wrongType(type, 'an integer')
}

function wrongType(type: Type, wanted: string): Problem {
  const message = `${wanted} is needed here, but the expression gives ${describeType(type)}`
  return { code: 'expression-type', message, hint: CONVERSIONS[`${type.kind} → ${wanted}`] }
}

const CONVERSIONS: Readonly<Record<string, string>> = {
  'string → an integer': 'convert it: int(…)',
  'double → an integer': 'convert it: int(…)',
  'string → a number': 'convert it: double(…)',
  'int → a string': 'convert it: string(…)',
  'double → a string': 'convert it: string(…)',
  'bool → a string': 'convert it: string(…)',
  'string → a boolean': 'compare it: … == "true"',
  'string → a list': 'put it in a list: [ … ]',
}

const NAMES: Readonly<Record<string, string>> = { array: 'list', object: 'map' }
