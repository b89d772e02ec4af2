import { closestHint } from '../core/did-you-mean.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { FIELD_TYPES, INPUT_TYPES, ITEM_TYPES } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import { violationsOf } from '../core/validation.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import { quoted } from '../document/mistakes.ts'
import { toPlain } from '../document/plain-value.ts'
import { reportViolations, schemaOf, type ViolationTexts } from '../document/report-violations.ts'
import { dateHint } from '../expressions/date-functions.ts'
import { beginsWithRoot } from '../expressions/lookalikes.ts'
import { validators } from '../generated/validators.ts'
import { documentSchema, FIELD_TYPE_PATTERN, ITEM_TYPE_PATTERN } from './document-schema.ts'
import {
  ID_PATTERN,
  MAY_HOLD_EXPRESSIONS,
  NAME_PATTERN,
  PERCENT_PATTERN,
  PIPELINE_NAME_PATTERN,
  WHOLE_EXPRESSION,
} from './schema-parts.ts'
import { DATE_PATTERN, TIME_PATTERN } from './trigger-schema.ts'

/**
 * Reports every problem that the schema of a document can detect: unknown and missing keys, wrong types, wrong values.
 */
export function checkEnvelope(
  root: DocumentNode,
  stepTypes: ReadonlyMap<string, StepType>,
  reporter: DiagnosticCollector,
): void {
  if (root.kind !== 'map') {
    const hint = 'a pipeline begins with version: 1'
    reporter.error({ code: 'wrong-type', message: 'the document is not a map of keys', hint }, root)
    return
  }
  const tested = root.entries.get('test')
  if (tested && root.entries.has('tests') && !root.entries.has('steps')) {
    const hint = '`audience test` runs it; its name has to end in .test.yaml'
    reporter.error({ code: 'wrong-type', message: 'this is a test of a pipeline', hint }, tested.key)
    return
  }
  const violations = violationsOf(validators.pipeline, toPlain(root))
  reportViolations({ root, schema: documentSchema, violations, texts: pipelineTexts(stepTypes) }, reporter)
  reportStrayExpressions(root, documentSchema, reporter)
}

/** Reports expressions in places that do not evaluate them: nobody means such an expression literally. */
export function reportStrayExpressions(node: DocumentNode, schema: JsonSchema, reporter: DiagnosticCollector): void {
  if (node.kind === 'scalar') {
    const { description = '', pattern } = schema
    const evaluated = [WHOLE_EXPRESSION, MAY_HOLD_EXPRESSIONS].some((end) => description.endsWith(end))
    // An expression never matches a pattern, so an expression in a place with a pattern has already been reported.
    if (schema.type !== 'string' || pattern !== undefined || evaluated) return
    if (typeof node.value !== 'string' || !node.value.includes('${{')) return
    reporter.error({ code: 'expression-not-here', message: 'expressions are not evaluated here' }, node)
  } else if (node.kind === 'list') {
    for (const item of node.items) reportStrayExpressions(item, schema.items ?? {}, reporter)
  } else {
    for (const [name, { value }] of node.entries) reportStrayExpressions(value, schemaOf(schema, name), reporter)
  }
}

function nameHint(value: string): string | undefined {
  const meant = withoutMarks(value)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
  return new RegExp(PIPELINE_NAME_PATTERN).test(meant) && meant.length <= MOST_WRITTEN ? `write ${meant}` : undefined
}

/** A longer name is not repeated in a hint. */
const MOST_WRITTEN = 60

/** The letters without their accents: `täglich` as `taglich`. */
function withoutMarks(text: string): string {
  return text
    .slice(0, 200)
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
}

/**
 * What to write if the document has an expression without braces where it needs a map. Undefined unless the map has
 * exactly one required member, and that member takes any value.
 */
function inMapHint(value: string, { required = [], properties = {} }: JsonSchema): string | undefined {
  const [only = '', another] = required
  const takesAny = another === undefined && properties[only] !== undefined && properties[only].type === undefined
  return takesAny && beginsWithRoot(value) ? `write { ${only}: ${quoted(`\${{ ${value} }}`)} }` : undefined
}

function idHint(value: string): string | undefined {
  const id = withoutMarks(value)
    .replace(/^[^A-Za-z]+/, '')
    .replace(/[^A-Za-z0-9_]+/g, '_')
  const meant = id.charAt(0).toLowerCase() + id.slice(1)
  return new RegExp(ID_PATTERN).test(meant) ? `write ${meant}` : undefined
}

/** The declaration to write for an input that has only its type or its default. */
function inputHint(value: unknown): string | undefined {
  const type = INPUT_TYPES.find((known) => known === value)
  if (type !== undefined) return `write { type: ${type} }`
  if (typeof value === 'bigint') return `write { type: integer, default: ${value} }`
  if (typeof value === 'number' || typeof value === 'boolean')
    return `write { type: ${typeof value}, default: ${value} }`
  if (typeof value !== 'string' || value === '') return undefined
  const isFile = /^[\w./-]+\.(csv|tsv|txt|parquet|json|gz|zst)$/i.test(value)
  return `write { type: ${isFile ? 'file' : 'string'}, default: ${isFile ? value : JSON.stringify(value)} }`
}

/** Keys of other systems, in lower case and without - and _, and what they are called here. */
const SAME_ELSEWHERE: ReadonlyMap<string, readonly string[]> = new Map([
  ['when', ['if']],
  ['condition', ['if']],
  ['dependson', ['needs']],
  ['dependencies', ['needs']],
  ['after', ['needs']],
  ['withitems', ['forEach']],
  ['loop', ['forEach']],
  ['matrix', ['forEach']],
  ['inputs', ['with']],
  ['params', ['with', 'inputs']],
  ['parameters', ['with', 'inputs']],
  ['args', ['with']],
  ['arguments', ['with']],
  ['retries', ['retry', 'maxAttempts']],
  ['attempts', ['maxAttempts']],
  ['limit', ['maxAttempts']],
  ['timeoutminutes', ['timeout']],
  ['jobs', ['steps']],
  ['tasks', ['steps']],
  ['on', ['triggers']],
  ['vars', ['variables']],
  ['environment', ['env']],
  ['tz', ['timezone']],
])

const pipelineTexts = (stepTypes: ReadonlyMap<string, StepType>): ViolationTexts => ({
  top: 'at the top of a pipeline',
  patterns: {
    [ID_PATTERN]: 'must begin with a letter from a to z, followed by letters, digits and _',
    [NAME_PATTERN]: 'must begin with a letter or _, followed by letters, digits and _',
    [ITEM_TYPE_PATTERN]: `must be one of ${ITEM_TYPES.join(', ')}, or a map of fields`,
    [FIELD_TYPE_PATTERN]: `must be one of ${FIELD_TYPES.join(', ')}`,
    [PERCENT_PATTERN]: 'must be a count, or a share of the items such as "5%"',
    [DATE_PATTERN]: 'must be a date such as 2026-12-25',
    [TIME_PATTERN]: 'must be a time of day in quotes, such as "06:00"',
    [PIPELINE_NAME_PATTERN]:
      'must begin with a lower-case letter or a digit, followed by lower-case letters, digits, - and _',
  },
  hint(value, place) {
    const isNested = [place.type].flat().some((type) => type === 'object' || type === 'array') && !place.pattern
    if (typeof value === 'string' && value.includes('${{') && !isNested) return 'expressions are not evaluated here'
    if (typeof value === 'string' && place.pattern === ID_PATTERN) return idHint(value)
    if (typeof value === 'string' && place.pattern === PIPELINE_NAME_PATTERN) return nameHint(value)
    if (typeof value === 'string' && place.pattern === DATE_PATTERN) return dateHint(value)
    const inMap = typeof value === 'string' ? inMapHint(value, place) : undefined
    if (inMap) return inMap
    if (typeof value === 'string' && place.pattern === FIELD_TYPE_PATTERN) return closestHint(value, FIELD_TYPES)
    if (typeof value === 'string' && place.pattern === ITEM_TYPE_PATTERN) return closestHint(value, ITEM_TYPES)
    if (place === documentSchema.properties.inputs.additionalProperties) return inputHint(value)
    return place.description?.endsWith(WHOLE_EXPRESSION) ? `write \${{ ${value} }}` : undefined
  },
  meant(key, map, names) {
    const value = textOf(childOf(map, key))
    const meant = value !== undefined && stepTypes.has(value) ? ['uses'] : []
    const elsewhere = SAME_ELSEWHERE.get(key.toLowerCase().replace(/[-_]/g, '')) ?? []
    return [...meant, ...elsewhere].find((name) => names.includes(name) && !childOf(map, name))
  },
  misplaced(key, map) {
    if (childOf(map, 'id') && ['forEach', 'steps'].includes(key)) {
      return 'a forEach cannot be inside another forEach; pipelines.run can run another pipeline for each item'
    }
    const { properties } = stepTypes.get(textOf(childOf(map, 'uses')) ?? '')?.input ?? {}
    return properties && Object.hasOwn(properties, key) ? 'indent it under with' : undefined
  },
})
