import type { Json } from '../core/json.ts'
import { FIELD_TYPES, type FieldDeclaration, INPUT_TYPES, type InputDeclaration, ITEM_TYPES } from '../core/pipeline.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import {
  childOf,
  type DocumentNode,
  type Entry,
  entriesOf,
  itemsOf,
  nodeAt,
  textOf,
} from '../document/document-node.ts'
import { toValue } from '../document/plain-value.ts'
import { type Declared, partName, typedInput } from './input-value.ts'
import { isMisnamed } from './read-value.ts'
import { MAX_DECLARATIONS } from './schema-parts.ts'

/** The inputs that a document declares. Reports what the schema cannot detect: problems with names and defaults. */
export function readInputs(root: DocumentNode, reporter: DiagnosticCollector): Record<string, InputDeclaration> {
  const declarations: Record<string, InputDeclaration> = {}
  for (const [name, { key, value }] of entriesOf(childOf(root, 'inputs')).slice(0, MAX_DECLARATIONS)) {
    if (isMisnamed(name, 'an input', key, reporter)) continue
    const type = INPUT_TYPES.find((known) => known === textOf(childOf(value, 'type')))
    if (!type) continue
    const items = type === 'list' ? readItems(childOf(value, 'items'), reporter) : undefined
    const at = reporter.positionOf(key)
    declarations[name] = withDefault({ ...declarationOf(type, value), at, items }, value, reporter)
    reportStrayOptions(name, type, { key, value }, reporter)
  }
  return declarations
}

/** The type that an option belongs to. */
const OPTIONS = { values: 'enum', items: 'list' } as const

/** Reports options that belong to other types, and an enum without values. */
function reportStrayOptions(
  name: string,
  type: InputDeclaration['type'],
  { key, value }: Entry,
  reporter: DiagnosticCollector,
  options: readonly (keyof typeof OPTIONS)[] = ['values', 'items'],
): void {
  if (type === 'enum' && !childOf(value, 'values')) {
    const hint = 'values: [A, B]'
    reporter.error({ code: 'missing-key', message: `the enum ${name} has no values`, hint }, key)
  }
  for (const option of options) {
    const stray = value.kind === 'map' ? value.entries.get(option) : undefined
    const of = OPTIONS[option]
    if (stray && type !== of) {
      const message = `${option} belongs to an input of type ${of}, but ${name} is of type ${type}`
      reporter.error({ code: 'unknown-key', message }, stray.key)
    }
  }
}

/** The type of the items of a list, or the fields of the objects in it. */
function readItems(
  node: DocumentNode | undefined,
  reporter: DiagnosticCollector,
): NonNullable<InputDeclaration['items']> {
  if (node?.kind !== 'map') return ITEM_TYPES.find((known) => known === textOf(node)) ?? 'string'
  const fields: Record<string, FieldDeclaration> = {}
  for (const [name, { key, value }] of [...node.entries].slice(0, MAX_DECLARATIONS)) {
    if (isMisnamed(name, 'a field', key, reporter)) continue
    const type = FIELD_TYPES.find((known) => known === (textOf(value) ?? textOf(childOf(value, 'type'))))
    if (!type) continue
    fields[name] = withDefault(declarationOf(type, value), value, reporter)
    reportStrayOptions(name, type, { key, value }, reporter, ['values'])
  }
  return fields
}

function declarationOf<Type extends InputDeclaration['type']>(type: Type, node: DocumentNode) {
  const description = textOf(childOf(node, 'description'))
  const values = itemsOf(childOf(node, 'values')).flatMap((value) => textOf(value) ?? [])
  return { type, description, values: type === 'enum' ? values : undefined }
}

/**
 * An input with its default. A default of another type is reported, and null replaces it, so that a trigger without the
 * input is not reported as well.
 */
function withDefault<Declaration extends Declared>(
  declaration: Declaration,
  node: DocumentNode,
  reporter: DiagnosticCollector,
): Declaration & { readonly default?: Json } {
  const defaultNode = childOf(node, 'default')
  if (!defaultNode) return declaration
  const stray = expressionIn(defaultNode)
  if (stray) {
    const hint = 'write a plain value; a step can use default(…) instead'
    reporter.error({ code: 'expression-not-here', message: 'expressions are not evaluated here', hint }, stray)
    return declaration
  }
  // An enum without values has been reported.
  if (declaration.type === 'enum' && declaration.values?.length === 0) return { ...declaration, default: null }
  const typed = typedInput(declaration, toValue(defaultNode))
  if ('problems' in typed) {
    for (const { pointer, message, hint } of typed.problems) {
      const problem = { code: 'wrong-value', message: `${partName('default', pointer)} ${message}`, hint } as const
      reporter.error(problem, nodeAt(defaultNode, pointer).node)
    }
    return { ...declaration, default: null }
  }
  return { ...declaration, default: typed.value }
}

/** An expression in a default, or in a field of an object in the default. */
function expressionIn(node: DocumentNode): DocumentNode | undefined {
  if (node.kind === 'scalar') return String(node.value).includes('${{') ? node : undefined
  const fields = itemsOf(node).flatMap((item) => entriesOf(item).map(([, { value }]) => value))
  return fields.find((field) => textOf(field)?.includes('${{'))
}
