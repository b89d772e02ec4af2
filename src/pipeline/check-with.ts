import { closestHint, closestName, didYouMean } from '../core/did-you-mean.ts'
import type { Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { Template } from '../core/template.ts'
import { propertyOf, type SchemaViolation } from '../core/validation.ts'
import type { DiagnosticCollector, Problem } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, nodeAt, scalarsIn } from '../document/document-node.ts'
import { schemaAt } from '../document/report-violations.ts'
import { beginsWithRoot } from '../expressions/lookalikes.ts'
import { documentSchema } from './document-schema.ts'
import type { StepDraft } from './read-steps.ts'

/** The rules between fields are checked with at most this many combinations of possible values of expressions. */
const MAX_COMBINATIONS = 200

/**
 * Checks the parts of a step's `with` that hold no expressions. An expression counts as any value that fits its
 * position.
 */
export function checkWith(draft: StepDraft, reporter: DiagnosticCollector): void {
  const { step, type, node, withEntry } = draft
  if (!type) return
  const place = withEntry?.key ?? childOf(node, 'uses') ?? node
  const root = withEntry?.value
  if (root && root.kind !== 'map') return
  const { meant, isMistyped } = reportUnknownKeys(draft, reporter)
  const open: OpenPlace[] = []
  const input = filled(step.with, type.input, '', open)
  const problems = integerProblems(root)
  for (const { problem, node: at } of problems) reporter.error(problem, at)
  for (const violation of type.check(input)) {
    const { pointer, keyword } = violation
    if (open.some((other) => pointer === other.pointer || pointer.startsWith(`${other.pointer}/`))) continue
    const property = propertyOf(violation)
    // The problem that was reported for the mistyped or misplaced key covers this one.
    if (keyword === 'required' && pointer === '' && meant.has(property ?? '')) continue
    if (keyword === 'rule' && (isMistyped || !breaksAlways(violation, draft, open))) continue
    const target = root ? nodeAt(root, pointer) : undefined
    const span = keyword === 'rule' || pointer === '' ? place : (target?.node ?? place)
    if (problems.some((problem) => problem.node === target?.node)) continue
    const problem = problemOf(violation, { draft, property, schema: schemaAt(type.input, pointer), node: target?.node })
    if (violation.isAdvice) reporter.warning(problem, span)
    else reporter.error(problem, span)
  }
}

/** A position whose value is known only during the run. */
interface OpenPlace {
  readonly pointer: string
  readonly schema: JsonSchema
}

interface MeantKeys {
  readonly meant: ReadonlySet<string>
  /** Whether a key of `with` is probably a misspelling of another key. */
  readonly isMistyped: boolean
}

/** Reports keys that the step type does not take; returns the keys that were probably meant. */
function reportUnknownKeys({ step, type, node, withEntry }: StepDraft, reporter: DiagnosticCollector): MeantKeys {
  // Keys beside `with` that belong under it have been reported, and so has a mistyped `with`.
  const meant = new Set([...node.entries].flatMap(([name, { value }]) => [name, ...keysOfMistypedWith(name, value)]))
  if (!type || withEntry?.value.kind !== 'map') return { meant, isMistyped: false }
  let isMistyped = false
  const known = Object.keys(type.input.properties)
  for (const [name, { key }] of withEntry.value.entries) {
    if (Object.hasOwn(type.input.properties, name)) continue
    const meantKey = closestName(name, known)
    if (meantKey !== undefined) meant.add(meantKey)
    isMistyped ||= meantKey !== undefined
    const isOfStep = Object.hasOwn(documentSchema.properties.steps.items.properties, name)
    const closest = closestHint(name, known)
    const hint =
      closest ?? (isOfStep ? `${name} belongs to the step: indent it like \`with\`` : didYouMean(name, known))
    reporter.error({ code: 'unknown-key', message: `${step.uses} does not take ${name}`, hint }, key)
  }
  return { meant, isMistyped }
}

function keysOfMistypedWith(name: string, value: DocumentNode): Iterable<string> {
  const { properties } = documentSchema.properties.steps.items
  const isMistyped = !Object.hasOwn(properties, name) && closestName(name, Object.keys(properties)) === 'with'
  return isMistyped && value.kind === 'map' ? value.entries.keys() : []
}

function problemOf(
  violation: SchemaViolation,
  place: {
    draft: StepDraft
    property: string | undefined
    schema: JsonSchema
    node: DocumentNode | undefined
  },
): Problem {
  const { pointer, keyword, message } = violation
  const { uses } = place.draft.step
  if (keyword === 'required' && place.property !== undefined) {
    const described = place.schema.properties?.[place.property]?.description
    return {
      code: 'missing-input',
      message: `${uses} needs ${pointer === '' ? '' : `${nameOf(pointer)}.`}${place.property}`,
      hint: described && `${place.property}: ${described}`,
    }
  }
  if (keyword === 'additionalProperties' && place.property !== undefined) {
    const known = Object.keys(place.schema.properties ?? {})
    const message = `${uses} does not take ${nameOf(pointer)}.${place.property}`
    return { code: 'unknown-key', message, hint: didYouMean(place.property, known) }
  }
  if (keyword === 'rule') return { code: 'broken-rule', message: `${uses}: ${message}` }
  return {
    code: keyword === 'type' ? 'wrong-type' : 'wrong-value',
    message: `${nameOf(pointer)} ${message.replace('an object', 'a map').replace('an array', 'a list')}`,
    hint: hintFor(place.schema, place.node),
  }
}

function hintFor(schema: JsonSchema, node: DocumentNode | undefined): string | undefined {
  if (node?.kind !== 'scalar') return undefined
  const { value } = node
  const [, variable] = (typeof value === 'string' && /^\$\{?([A-Za-z_]\w*)\}?$/.exec(value)) || []
  if (variable !== undefined) return `write "\${{ env.${variable} }}", with ${variable} under env at the top`
  const options = schema.enum?.filter((option) => typeof option === 'string')
  if (typeof value === 'string' && options) return closestHint(value, options)
  if (typeof value === 'string' && /^(yes|no|on|off)$/i.test(value) && schema.type === 'boolean')
    return 'write true or false'
  if (typeof value === 'string' && beginsWithRoot(value)) return `write "\${{ ${value} }}"`
  if (schema.type === 'string' && value !== null && typeof value !== 'string') return 'quote it'
  if (schema.type === 'array' && value !== null) return 'write it as a list: [ … ]'
  return undefined
}

/** `/deliveryScopes/0` as `deliveryScopes[0]`. */
function nameOf(pointer: string): string {
  return pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
}

/** A rule between fields is broken only if it is broken for every value of the expressions. */
function breaksAlways(violation: SchemaViolation, { step, type }: StepDraft, open: readonly OpenPlace[]): boolean {
  const choices = open.flatMap(({ pointer, schema }) => {
    const options = schema.enum ?? (schema.type === 'boolean' ? [true, false] : undefined)
    return options ? [{ pointer, options }] : []
  })
  const combinations = choices.reduce((count, { options }) => count * options.length, 1)
  if (!type || combinations > MAX_COMBINATIONS) return false
  for (let combination = 0; combination < combinations; combination++) {
    const chosen = new Map<string, Json>()
    let rest = combination
    for (const { pointer, options } of choices) {
      chosen.set(pointer, options[rest % options.length] as Json)
      rest = Math.floor(rest / options.length)
    }
    const broken = type.check(filled(step.with, type.input, '', [], chosen))
    if (!broken.some(({ keyword, message }) => keyword === 'rule' && message === violation.message)) return false
  }
  return true
}

/** The input in its in-memory form, with a fitting value in place of every expression. */
function filled(
  template: Template,
  schema: JsonSchema,
  pointer: string,
  open: OpenPlace[],
  chosen: ReadonlyMap<string, Json> = new Map(),
): unknown {
  switch (template.kind) {
    case 'value':
      return inMemory(template.value, schema)
    case 'list':
      return template.items.map((item, index) => filled(item, schema.items ?? {}, `${pointer}/${index}`, open, chosen))
    case 'map': {
      const entries = Object.entries(template.entries).flatMap(([key, entry]) => {
        const { properties } = schema
        // A key that the step type does not know has been reported, with its position.
        if (pointer === '' && !(properties && Object.hasOwn(properties, key))) return []
        const member = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
        return [[key, filled(entry, member ?? {}, `${pointer}/${key}`, open, chosen)] as const]
      })
      return Object.fromEntries(entries)
    }
    default:
      open.push({ pointer, schema })
      return chosen.get(pointer) ?? example(schema)
  }
}

/** A value that fits the type and the choices of a schema. */
function example(schema: JsonSchema): unknown {
  if (schema.enum) return schema.enum[0]
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  switch (type) {
    case 'string':
      return schema.format === 'int64' ? '1' : schema.format === 'date-time' ? '2026-01-31T08:00:00Z' : 'x'
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    case 'array':
      return [example(schema.items ?? {})]
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((key) => [key, example(schema.properties?.[key] ?? {})]))
    default:
      return null
  }
}

function inMemory(value: Json, schema: JsonSchema): unknown {
  if (typeof value === 'bigint') return schema.format === 'int64' ? value.toString() : Number(value)
  if (Array.isArray(value)) return value.map((item: Json) => inMemory(item, schema.items ?? {}))
  if (typeof value !== 'object' || value === null) return value
  const { properties = {} } = schema
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      inMemory(member ?? null, (Object.hasOwn(properties, key) ? properties[key] : undefined) ?? {}),
    ]),
  )
}

/** Integers that fit neither a number nor a 64-bit id. */
function integerProblems(root: DocumentNode | undefined): { problem: Problem; node: DocumentNode }[] {
  return scalarsIn(root).flatMap((node) => {
    const { value } = node
    if (typeof value !== 'bigint' || (value >= -(2n ** 63n) && value < 2n ** 63n)) return []
    const message = `the integer ${value} does not fit in 64 bits`
    return [{ problem: { code: 'wrong-value', message, hint: 'if it is text, quote it' }, node }]
  })
}
