import { closestHint, didYouMean } from '../core/did-you-mean.ts'
import { DURATION_PATTERN } from '../core/duration.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { propertyOf, type SchemaViolation } from '../core/validation.ts'
import type { DiagnosticCollector, Problem } from './diagnostic-collector.ts'
import { type DocumentNode, nodeAt, type Span } from './document-node.ts'
import { namesIn, schemaAt } from './schema-at.ts'

/** The texts for a kind of document. */
export interface ViolationTexts {
  /** `at the top of a pipeline`. */
  readonly top: string
  /** What a pattern of its schema requires, as the end of a sentence. */
  readonly patterns: Readonly<Record<string, string>>
  /** A hint about a value in a place, if the kind of document knows more than its schema. */
  hint?(value: unknown, place: JsonSchema): string | undefined
}

/** Reports all violations of a schema by a document, each with its place and the likely intention. */
export function reportViolations(
  found: {
    readonly root: DocumentNode
    readonly schema: JsonSchema
    readonly violations: readonly SchemaViolation[]
    readonly texts: ViolationTexts
  },
  reporter: DiagnosticCollector,
): void {
  const { root, schema, violations, texts } = found
  for (const violation of violations) {
    const { pointer, keyword } = violation
    const { node, key } = nodeAt(root, pointer)
    const property = propertyOf(violation)
    const place = schemaAt(schema, pointer)
    if (keyword === 'additionalProperties' && property !== undefined) {
      const member = node.kind === 'map' ? node.entries.get(property)?.key : undefined
      const where = pointer === '' ? texts.top : 'here'
      const hint = didYouMean(property, namesIn(place))
      reporter.error({ code: 'unknown-key', message: `${property} is not known ${where}`, hint }, member ?? node)
    } else if (keyword === 'required' && property !== undefined) {
      const problem: Problem = {
        code: 'missing-key',
        message: `${property} is missing`,
        hint: purposeOf(place, property),
      }
      reporter.error(problem, key ?? firstOf(node))
    } else {
      const name = pointer.slice(pointer.lastIndexOf('/') + 1)
      const subject = /^\d+$/.test(name) || name === '' ? 'this' : name
      const code = keyword === 'type' ? 'wrong-type' : 'wrong-value'
      const message = `${subject} ${sentence(violation, place, texts)}`
      reporter.error({ code, message, hint: hintFor(node, place, texts) }, node.end > node.start ? node : (key ?? node))
    }
  }
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
  if (violation.keyword === 'uniqueItems') return 'has the same item twice'
  return violation.message.replace('an object', 'a map').replace('an array', 'a list')
}

function hintFor(node: DocumentNode, place: JsonSchema, texts: ViolationTexts): string | undefined {
  if (node.kind !== 'scalar') return undefined
  const { value } = node
  if (typeof value === 'string') {
    const options = place.enum?.filter((option) => typeof option === 'string')
    if (options) return closestHint(value, options)
    if (place.type === 'boolean' && /^(yes|no|on|off)$/i.test(value)) return 'write true or false'
  }
  if (place.pattern === DURATION_PATTERN && typeof value === 'bigint')
    return `${value}s for seconds, ${value}ms for milliseconds`
  const own = texts.hint?.(value, place)
  if (own !== undefined) return own
  return place.type === 'string' && typeof value !== 'string' && value !== null ? 'quote it' : undefined
}

function firstOf(node: DocumentNode): Span {
  if (node.kind !== 'map') return node
  for (const { key } of node.entries.values()) return key
  return { start: node.start, end: node.start }
}
