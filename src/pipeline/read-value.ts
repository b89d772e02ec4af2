import { DURATION_PATTERN, parseDuration } from '../core/duration.ts'
import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, type Span, textOf } from '../document/document-node.ts'
import { NAME_PATTERN } from './schema-parts.ts'

/**
 * The type of a value that a schema of the document format describes, with defaults filled in. A duration `delay`
 * becomes `delayMs`. A key without a default is absent if the document does not give it, except for objects and lists,
 * which are then empty.
 */
export type ReadValue<Schema> = Schema extends { readonly properties: infer Properties }
  ? Simple<
      { readonly [Key in keyof Properties as KeyIf<true, Key, Schema>]: ReadValue<Properties[Key]> } & {
        readonly [Key in keyof Properties as KeyIf<false, Key, Schema>]?: ReadValue<Properties[Key]>
      }
    >
  : Schema extends { readonly items: infer Item }
    ? readonly ReadValue<Item>[]
    : Schema extends { readonly enum: readonly (infer Option)[] }
      ? Option
      : Schema extends { readonly pattern: typeof DURATION_PATTERN }
        ? number
        : Schema extends { readonly type: 'integer' | 'number' }
          ? number
          : Schema extends { readonly type: 'boolean' }
            ? boolean
            : Schema extends { readonly type: 'string' }
              ? string
              : unknown

/** Shows the keys of an intersection as one object. */
type Simple<T> = { [Key in keyof T]: T[Key] }

/**
 * If `Wanted` is true, the name for a key that is always there; if false, the name for a key that may be absent. For
 * other keys, the type is `never`.
 */
type KeyIf<Wanted extends boolean, Key, Schema> = Schema extends {
  readonly properties: { readonly [Name in Key & string]: infer Property }
}
  ? IsAlwaysThere<Key, Property, Schema> extends Wanted
    ? Property extends { readonly pattern: typeof DURATION_PATTERN }
      ? `${Key & string}Ms`
      : Key
    : never
  : never

type IsAlwaysThere<Key, Property, Schema> = Property extends { readonly default: unknown }
  ? true
  : Property extends { readonly properties: object } | { readonly items: object }
    ? true
    : Schema extends { readonly required: readonly (infer Required)[] }
      ? Key extends Required
        ? true
        : false
      : false

/**
 * Reads an object of the document as its schema says. If a value is missing or has the wrong type, it comes from
 * `base`, then from the schema's defaults; other checks report it. A missing required text becomes empty.
 */
export function readObject<const Schema extends JsonSchema & Pick<ObjectSchema, 'properties'>>(
  schema: Schema,
  node: DocumentNode | undefined,
  base?: { readonly [Key in keyof ReadValue<Schema>]: unknown },
): ReadValue<Schema> {
  const read: unknown = fieldsOf(schema, node, base)
  return read as ReadValue<Schema>
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(schema: JsonSchema, node: DocumentNode | undefined, base: Fields = {}): Fields {
  const { properties = {}, required = [] } = schema
  const read: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(properties)) {
    const name = isDuration(inner) ? `${key}Ms` : key
    const value = readNode(inner, childOf(node, key), base[name]) ?? (required.includes(key) ? '' : undefined)
    if (value !== undefined) read[name] = value
  }
  return read
}

function readNode(schema: JsonSchema, node: DocumentNode | undefined, base: unknown): unknown {
  if (schema.properties) return fieldsOf(schema, node, base as Fields | undefined)
  if (!schema.items) return scalarOf(schema, node) ?? base ?? defaultOf(schema)
  const { items } = schema
  const given = itemsOf(node).flatMap((item) => scalarOf(items, item) ?? [])
  return given.length > 0 ? given : (base ?? schema.default ?? given)
}

function scalarOf(schema: JsonSchema, node: DocumentNode | undefined): unknown {
  if (node?.kind !== 'scalar') return undefined
  const { value } = node
  if (schema.enum) return schema.enum.find((option) => option === value)
  if (isDuration(schema)) return typeof value === 'string' ? parseDuration(value) : undefined
  if (schema.type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (schema.type === 'string') return typeof value === 'string' ? value : undefined
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : undefined
}

function defaultOf(schema: JsonSchema): unknown {
  return isDuration(schema) ? parseDuration(String(schema.default)) : schema.default
}

function isDuration({ pattern }: JsonSchema): boolean {
  return pattern === DURATION_PATTERN
}

/** The duration under a key, in milliseconds. */
export function durationAt(node: DocumentNode | undefined, key: string): number | undefined {
  const text = textOf(childOf(node, key))
  return text === undefined ? undefined : parseDuration(text)
}

/** The option that a node names, as its literal type. */
export function optionOf<const Option extends string>(
  options: readonly Option[],
  node: DocumentNode | undefined,
): Option | undefined {
  const text = textOf(node)
  return options.find((option) => option === text)
}

export function isTrue(node: DocumentNode | undefined): boolean {
  return node?.kind === 'scalar' && node.value === true
}

/** Reports a name that an expression cannot write after a dot. */
export function isMisnamed(name: string, what: string, key: Span, reporter: DiagnosticCollector): boolean {
  if (new RegExp(NAME_PATTERN).test(name) && name !== '__proto__') return false
  const message = `${name} cannot be the name of ${what}`
  reporter.error({ code: 'wrong-name', message, hint: 'use letters, digits and _, beginning with a letter' }, key)
  return true
}
