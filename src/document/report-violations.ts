import { closestHint, closestName, didYouMean } from '../core/did-you-mean.ts'
import { DURATION_PATTERN } from '../core/duration.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { propertyOf, type SchemaViolation } from '../core/validation.ts'
import type { DiagnosticCollector } from './diagnostic-collector.ts'
import { type DocumentNode, nameIn, nodeAt, type Span } from './document-node.ts'
import { valueHint } from './value-hint.ts'

/** The texts for a kind of document. */
export interface ViolationTexts {
  /** `at the top of a pipeline`. */
  readonly top: string
  /** What a pattern of its schema requires, as the end of a sentence. */
  readonly patterns: Readonly<Record<string, string>>
  /** A hint about a value at a position, if more is known about this kind of document than its schema says. */
  hint?(value: unknown, place: JsonSchema): string | undefined
  /** A hint about an unknown key of a map, if it belongs elsewhere. */
  misplaced?(key: string, map: DocumentNode): string | undefined
  /** The known key of a map that an unknown key probably means, by its value or its name. */
  meant?(key: string, map: DocumentNode, names: readonly string[]): string | undefined
}

/**
 * The maximum number of violations that are examined. Finding the intention behind each takes time, and fewer than this
 * are shown.
 */
const MAX_VIOLATIONS = 1000

/** Reports the violations of a schema by a document, each with its position and the likely intention. */
export function reportViolations(
  found: {
    root: DocumentNode
    schema: JsonSchema
    violations: readonly SchemaViolation[]
    texts: ViolationTexts
  },
  reporter: DiagnosticCollector,
): void {
  const { root, schema, texts } = found
  const violations = withoutNotIndented(found, reporter).slice(0, MAX_VIOLATIONS)
  for (const violation of violations) {
    const { pointer, keyword } = violation
    const { node, key } = nodeAt(root, pointer)
    const property = propertyOf(violation)
    const place = schemaAt(schema, pointer)
    if (keyword === 'additionalProperties' && property !== undefined) {
      const member = node.kind === 'map' ? node.entries.get(property)?.key : undefined
      const where = pointer === '' ? texts.top : 'here'
      const owner = ownerOf(place, property)
      const inside = owner === undefined ? undefined : `indent it under ${owner}`
      const names = namesIn(place)
      const meant = texts.meant?.(property, node, names)
      const written = meant && `write ${meant} instead of ${property}`
      const closest = closestHint(property, names)
      const here = closest === undefined ? (written ?? inside ?? didYouMean(property, names)) : (inside ?? closest)
      const hint = texts.misplaced?.(property, node) ?? here
      reporter.error({ code: 'unknown-key', message: `${property} is not known ${where}`, hint }, member ?? node)
    } else if (keyword === 'required' && property !== undefined) {
      // The problem with the mistyped key covers this one.
      if (mistyped(violations, { pointer, place, node, texts }).has(property)) continue
      const hint = purposeOf(place, property)
      reporter.error({ code: 'missing-key', message: `${property} is missing`, hint }, key ?? firstOf(node))
    } else {
      const name = nameIn(pointer.slice(pointer.lastIndexOf('/') + 1))
      const subject = /^\d+$/.test(name) || name === '' ? 'this' : name
      const code = keyword === 'type' ? 'wrong-type' : 'wrong-value'
      const message = `${subject} ${sentence(violation, place, texts)}`
      reporter.error({ code, message, hint: hintFor(node, place, texts) }, node.end > node.start ? node : (key ?? node))
    }
  }
}

/** The known keys that the unknown keys of a map probably mean. */
function mistyped(
  violations: readonly SchemaViolation[],
  map: {
    pointer: string
    place: JsonSchema
    node: DocumentNode
    texts: ViolationTexts
  },
): ReadonlySet<string> {
  const unknown = violations
    .filter(({ keyword, pointer }) => keyword === 'additionalProperties' && pointer === map.pointer)
    .map((other) => propertyOf(other) ?? '')
  return new Set(
    unknown.flatMap((key) => {
      const names = namesIn(map.place)
      return map.texts.meant?.(key, map.node, names) ?? closestName(key, names) ?? []
    }),
  )
}

/**
 * Reports each map whose content is next to its key instead of under it, as one problem; returns the other violations.
 */
function withoutNotIndented(
  { root, violations }: { root: DocumentNode; violations: readonly SchemaViolation[] },
  reporter: DiagnosticCollector,
): readonly SchemaViolation[] {
  const covered = new Set<SchemaViolation>()
  for (const violation of violations) {
    const { pointer, keyword, params } = violation
    const { node, key } = nodeAt(root, pointer)
    const isEmpty = node.kind === 'scalar' && node.value === null
    if (keyword !== 'type' || !key || !isEmpty || ![params.type].flat().includes('object')) continue
    const parent = nodeAt(root, pointer.slice(0, pointer.lastIndexOf('/'))).node
    if (parent.kind !== 'map') continue
    const beside = violations.flatMap((other) => {
      const name = other.keyword === 'additionalProperties' ? propertyOf(other) : undefined
      const entry = name === undefined ? undefined : parent.entries.get(name)
      const isAfter = entry !== undefined && nodeAt(root, other.pointer).node === parent && entry.key.start > key.start
      return isAfter && name !== undefined ? [{ other, name, entry }] : []
    })
    const [first] = beside
    if (!first) continue
    const names = beside.map(({ name }) => name)
    const message = `${first.name} is not indented under ${pointer.slice(pointer.lastIndexOf('/') + 1)}`
    reporter.error({ code: 'unknown-key', message, hint: `indent ${listed(names)} by 2 spaces more` }, first.entry.key)
    for (const { other } of beside) covered.add(other)
    covered.add(violation)
  }
  return violations.filter((violation) => !covered.has(violation))
}

/** `a`, `a and b`, `a, b and c`. */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Says what a missing key is for. */
function purposeOf(place: JsonSchema, property: string): string | undefined {
  const description = place.properties?.[property]?.description
  return description ? `${property}: ${description}` : undefined
}

function sentence(violation: SchemaViolation, place: JsonSchema, { patterns }: ViolationTexts): string {
  const pattern =
    place.pattern === DURATION_PATTERN
      ? 'must be a duration such as 500ms, 30s, 15m, 2h or 7d'
      : typeof place.pattern === 'string'
        ? patterns[place.pattern]
        : undefined
  if (pattern && (violation.keyword === 'pattern' || violation.keyword === 'type')) return pattern
  const { enum: options = [] } = place
  if (violation.keyword === 'enum' && options.length > MOST_LISTED)
    return `must be one of the ${options.length} known values`
  return violation.message.replace('an object', 'a map').replace('an array', 'a list')
}

/** A message does not list more values than this. */
const MOST_LISTED = 24

function hintFor(node: DocumentNode, place: JsonSchema, texts: ViolationTexts): string | undefined {
  const own = node.kind === 'scalar' ? texts.hint?.(node.value, place) : undefined
  return own ?? valueHint(node, place)
}

/** The key that another key of the same map belongs under, if there is only one such key. */
function ownerOf(place: JsonSchema, key: string): string | undefined {
  const owners = Object.entries(place.properties ?? {}).filter(
    ([, { properties }]) => properties && Object.hasOwn(properties, key),
  )
  const [[owner] = []] = owners
  return owners.length === 1 ? owner : undefined
}

function firstOf(node: DocumentNode): Span {
  if (node.kind !== 'map') return node
  for (const { key } of node.entries.values()) return key
  return { start: node.start, end: node.start }
}

/** The part of a schema that describes the value at a JSON pointer. */
export function schemaAt(schema: JsonSchema, pointer: string): JsonSchema {
  const names = pointer.split('/').slice(1)
  return names.reduce((place, name) => schemaOf(place, nameIn(name)), schema)
}

/** The names that a map of this schema may have, in any of its alternatives. */
function namesIn({ properties, anyOf }: JsonSchema): string[] {
  if (properties) return Object.keys(properties)
  return Array.isArray(anyOf) ? anyOf.flatMap((alternative: JsonSchema) => namesIn(alternative)) : []
}

/** The schema of a member or an item, in the alternative that defines it. */
export function schemaOf(
  { properties = {}, additionalProperties, items, anyOf }: JsonSchema,
  name: string,
): JsonSchema {
  if (Object.hasOwn(properties, name)) return properties[name] ?? {}
  if (typeof additionalProperties === 'object') return additionalProperties
  if (items || !Array.isArray(anyOf)) return items ?? {}
  const known = anyOf.find((alternative: JsonSchema) => Object.hasOwn(alternative.properties ?? {}, name))
  return known ? schemaOf(known, name) : {}
}
