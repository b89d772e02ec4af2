import type { Position } from './diagnostic.ts'
import { isJsonObject, type Json } from './json.ts'
import { mapValues } from './map-values.ts'

/** A CEL expression, as it is written between `${{` and `}}`. */
export interface Expression {
  readonly source: string
  /** The position of the first character of `source`. */
  readonly at: Position
  /**
   * The expression is written over several lines or with escapes, so `at` is not enough to find positions inside it.
   */
  readonly folded?: true
}

/** A value of the document that contains expressions. */
export type Template =
  | { readonly kind: 'value'; readonly value: Json }
  /** One whole expression: its value keeps its type. */
  | { readonly kind: 'expression'; readonly expression: Expression }
  /** Text with expressions in it: always a string. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | TemplateMap

export interface TemplateMap {
  readonly kind: 'map'
  readonly entries: Readonly<Record<string, Template>>
}

/** The items of a list, with or without expressions; undefined if it is not a list. */
export function itemsIn(template: Template): readonly Template[] | undefined {
  if (template.kind === 'list') return template.items
  return template.kind === 'value' && Array.isArray(template.value) ? template.value.map(plain) : undefined
}

/** The entries of a map, with or without expressions; undefined if it is not a map. */
export function entriesIn(template: Template): Readonly<Record<string, Template>> | undefined {
  if (template.kind === 'map') return template.entries
  return template.kind === 'value' && isJsonObject(template.value) ? mapValues(template.value, plain) : undefined
}

function plain(value: Json = null): Template {
  return { kind: 'value', value }
}

/** What a map has under a key; undefined if it is not a map or has no such key. */
export function memberOf(template: Template, key: string): Template | undefined {
  return entriesIn(template)?.[key]
}

/** What a map has under a key, if that contains no expression; undefined otherwise. */
export function literalOf(template: Template, key: string): Json | undefined {
  const member = memberOf(template, key)
  return member?.kind === 'value' ? member.value : undefined
}
