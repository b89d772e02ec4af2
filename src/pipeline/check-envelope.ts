import { closestHint, didYouMean } from '../core/did-you-mean.ts'
import { DURATION_PATTERN } from '../core/duration.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { propertyOf, type SchemaViolation, violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { type DocumentNode, nodeAt, type Span } from './document-node.ts'
import {
  documentSchema,
  ID_PATTERN,
  MAY_HOLD_EXPRESSIONS,
  NAME_PATTERN,
  PIPELINE_NAME_PATTERN,
  WHOLE_EXPRESSION,
} from './document-schema.ts'
import { toPlain } from './plain-value.ts'
import type { Problem, Reporter } from './reporter.ts'
import { schemaAt, schemaOf } from './schema-at.ts'

/** Reports everything about a document that its schema can tell: unknown and missing keys, wrong types, wrong values. */
export function checkEnvelope(root: DocumentNode, reporter: Reporter): void {
  if (root.kind !== 'map') {
    const hint = 'a pipeline begins with version: 1'
    reporter.error({ code: 'wrong-type', message: 'the document is no map of keys', hint }, root)
    return
  }
  for (const violation of violationsOf(validators.pipeline, toPlain(root))) {
    reportViolation(root, documentSchema, violation, reporter)
  }
  reportStrayExpressions(root, documentSchema, reporter)
}

/** Expressions in places where they would stay as they are written, which nobody means. */
function reportStrayExpressions(node: DocumentNode, schema: JsonSchema, reporter: Reporter): void {
  if (node.kind === 'scalar') {
    const { description = '', pattern } = schema
    const evaluated = [WHOLE_EXPRESSION, MAY_HOLD_EXPRESSIONS].some((end) => description.endsWith(end))
    // What has a pattern does not fit it, which has been reported.
    if (schema.type !== 'string' || pattern !== undefined || evaluated) return
    if (typeof node.value !== 'string' || !node.value.includes('${{')) return
    reporter.error({ code: 'expression-not-here', message: 'expressions are not evaluated here' }, node)
  } else if (node.kind === 'list') {
    for (const item of node.items) reportStrayExpressions(item, schema.items ?? {}, reporter)
  } else {
    for (const [name, { value }] of node.entries) reportStrayExpressions(value, schemaOf(schema, name), reporter)
  }
}

function reportViolation(root: DocumentNode, schema: JsonSchema, violation: SchemaViolation, reporter: Reporter): void {
  const { pointer, keyword } = violation
  const { node, key } = nodeAt(root, pointer)
  const property = propertyOf(violation)
  const place = schemaAt(schema, pointer)
  if (keyword === 'additionalProperties' && property !== undefined) {
    const member = node.kind === 'map' ? node.entries.get(property)?.key : undefined
    reporter.error(unknownKey(property, Object.keys(place.properties ?? {}), pointer), member ?? node)
    return
  }
  if (keyword === 'required' && property !== undefined) {
    reporter.error(
      { code: 'missing-key', message: `${property} is missing`, ...describe(place, property) },
      key ?? firstOf(node),
    )
    return
  }
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  const subject = /^\d+$/.test(name) || name === '' ? 'this' : name
  reporter.error(
    {
      code: keyword === 'type' ? 'wrong-type' : 'wrong-value',
      message: `${subject} ${sentence(violation, place)}`,
      hint: hintFor(node, place),
    },
    node.end > node.start ? node : (key ?? node),
  )
}

function unknownKey(name: string, known: readonly string[], pointer: string): Problem {
  const where = pointer === '' ? 'at the top of a pipeline' : 'here'
  return { code: 'unknown-key', message: `${name} is not known ${where}`, hint: didYouMean(name, known) }
}

/** Says what a key is for when it is missing. */
function describe(place: JsonSchema, property: string): { hint?: string } {
  const description = place.properties?.[property]?.description
  return description ? { hint: `${property}: ${description}` } : {}
}

function sentence(violation: SchemaViolation, place: JsonSchema): string {
  const pattern = typeof place.pattern === 'string' ? PATTERN_SENTENCES[place.pattern] : undefined
  if (pattern && (violation.keyword === 'pattern' || violation.keyword === 'type')) return pattern
  if (violation.keyword === 'uniqueItems') return 'has the same item twice'
  return violation.message.replace('an object', 'a map').replace('an array', 'a list')
}

const PATTERN_SENTENCES: Readonly<Record<string, string>> = {
  [DURATION_PATTERN]: 'must be a duration such as 500ms, 30s, 15m, 2h or 7d',
  [ID_PATTERN]: 'must begin with a letter from a to z and go on with letters, digits and _',
  [NAME_PATTERN]: 'must begin with a letter or _ and go on with letters, digits and _',
  [PIPELINE_NAME_PATTERN]: 'must be in lower case: letters, digits, - and _, beginning with a letter or digit',
}

function hintFor(node: DocumentNode, place: JsonSchema): string | undefined {
  if (node.kind !== 'scalar') return undefined
  const { value } = node
  if (typeof value === 'string') {
    const options = place.enum?.filter((option) => typeof option === 'string')
    if (options) return closestHint(value, options)
    if (place.type === 'boolean' && /^(yes|no|on|off)$/i.test(value)) return 'write true or false'
    if (value.includes('${{')) return 'expressions are not evaluated here'
  }
  if (place.pattern === DURATION_PATTERN && typeof value === 'bigint')
    return `${value}s for seconds, ${value}ms for milliseconds`
  if (place.description?.endsWith(WHOLE_EXPRESSION)) return `write \${{ ${value} }}`
  return place.type === 'string' && typeof value !== 'string' && value !== null ? 'quote it' : undefined
}

function firstOf(node: DocumentNode): Span {
  if (node.kind !== 'map') return node
  for (const { key } of node.entries.values()) return key
  return { start: node.start, end: node.start }
}
