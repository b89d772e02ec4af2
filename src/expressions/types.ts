import type { JsonSchema } from '../core/json-schema.ts'
import { mapValues } from '../core/map-values.ts'
import type { ExpressionCode } from './expression-codes.ts'
import { describeKind, KIND_NAMES, type Kind } from './value.ts'

/** What is known about a value before the run; `dyn` means nothing is known. */
export type Type =
  | { readonly kind: 'dyn' }
  | { readonly kind: Exclude<Kind, 'list' | 'map' | 'string'> }
  /** `values`: the only possible values. */
  | { readonly kind: 'string'; readonly values?: readonly string[] }
  | { readonly kind: 'list'; readonly items: Type }
  | { readonly kind: 'map'; readonly record?: RecordType }

/** A map whose fields are known. */
export interface RecordType {
  /** What messages call the record, such as `output of step match` in `x is not an output of step match`. */
  readonly noun: string
  readonly fields: Readonly<Record<string, Type>>
  /**
   * It can be read only field by field, by literal names, because the position of the expression decides which fields
   * exist.
   */
  readonly closed?: true
  /** Explains why a field is missing, if there is more to say than that it is unknown. */
  readonly explainMissing?: (name: string) => MissingField | undefined
}

export interface MissingField {
  readonly code: ExpressionCode
  readonly message: string
  readonly hint?: string
}

export const DYN: Type = { kind: 'dyn' }

/** The type of the values that a schema describes, in the form that expressions use. */
export function typeOfSchema(schema: JsonSchema, noun = 'field'): Type {
  if (schema.enum) return typeOfValues(schema.enum)
  if (schema.format === 'int64') return { kind: 'int' }
  const types = (typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])).filter(
    (type) => type !== 'null',
  )
  if (types.length !== 1) return DYN
  switch (types[0]) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { kind: KINDS[types[0]] }
    case 'array':
      return { kind: 'list', items: schema.items ? typeOfSchema(schema.items, noun) : DYN }
    case 'object':
      return typeOfObject(schema, noun)
    default:
      return DYN
  }
}

const KINDS = { string: 'string', integer: 'int', number: 'double', boolean: 'bool' } as const

/** The schema of the values of a type, as JSON. */
export function schemaOfType(type: Type): JsonSchema {
  switch (type.kind) {
    case 'string':
      return type.values ? { enum: type.values } : { type: 'string' }
    case 'timestamp':
      return { type: 'string' }
    case 'int':
      return { type: 'integer' }
    case 'double':
      return { type: 'number' }
    case 'bool':
      return { type: 'boolean' }
    case 'list':
      return { type: 'array', items: schemaOfType(type.items) }
    case 'map':
      return { type: 'object', properties: mapValues(type.record?.fields ?? {}, schemaOfType) }
    default:
      return {}
  }
}

/** A type in the words of the documentation, such as `an integer`. */
export function describeType(type: Type): string {
  if (type.kind === 'list' && type.items.kind !== 'dyn') return `a list of ${KIND_NAMES[type.items.kind]}s`
  return describeKind(type.kind)
}

function typeOfValues(values: readonly unknown[]): Type {
  const strings = values.filter((value) => typeof value === 'string')
  if (strings.length === values.length) return { kind: 'string', values: strings }
  return values.every((value) => Number.isSafeInteger(value)) ? { kind: 'int' } : DYN
}

function typeOfObject(schema: JsonSchema, noun: string): Type {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return { kind: 'map' }
  const typed = fields.map(([name, field]) => [name, typeOfSchema(field)] as const)
  return recordType(noun, Object.fromEntries(typed))
}

/** A map whose fields are known; `noun` is what messages call a field. */
export function recordType(
  noun: string,
  fields: Readonly<Record<string, Type>>,
  more: Pick<RecordType, 'closed' | 'explainMissing'> = {},
): Type {
  return { kind: 'map', record: { noun, fields, ...more } }
}

/** The type of values that have any one of these types. It is `dyn` if the kinds differ or no type is given. */
export function commonType(types: readonly Type[]): Type {
  const [first, ...rest] = types
  if (!first) return DYN
  let result: Type = first
  for (const type of rest) {
    if (type.kind !== result.kind) return DYN
    if (result.kind === 'string' && type.kind === 'string') {
      const values = result.values && type.values ? [...new Set([...result.values, ...type.values])] : undefined
      result = values && values.length <= 50 ? { kind: 'string', values } : { kind: 'string' }
    } else if (result.kind === 'list' && type.kind === 'list') {
      result = { kind: 'list', items: commonType([result.items, type.items]) }
    } else if (result.kind === 'map' && type !== result) result = { kind: 'map' }
  }
  return result
}
