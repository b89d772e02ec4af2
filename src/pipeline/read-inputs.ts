import type { Json } from '../core/json.ts'
import { INPUT_TYPES, type InputDeclaration } from '../core/pipeline.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import { toValue } from '../document/plain-value.ts'
import { typedInput } from './input-value.ts'
import { MAX_DECLARATIONS, NAME_PATTERN } from './schema-parts.ts'

const ITEM_TYPES = ['string', 'integer', 'number', 'boolean', 'file', 'date'] as const

/** The inputs that a document declares. Reports what the schema cannot detect: problems with names and defaults. */
export function readInputs(root: DocumentNode, reporter: DiagnosticCollector): Record<string, InputDeclaration> {
  const declarations: Record<string, InputDeclaration> = {}
  for (const [name, { key, value }] of entriesOf(childOf(root, 'inputs')).slice(0, MAX_DECLARATIONS)) {
    if (!new RegExp(NAME_PATTERN).test(name) || name === '__proto__') {
      const message = `${name} cannot be the name of an input`
      reporter.error({ code: 'wrong-name', message, hint: 'use letters, digits and _, beginning with a letter' }, key)
      continue
    }
    const type = INPUT_TYPES.find((known) => known === textOf(childOf(value, 'type')))
    if (!type) continue
    declarations[name] = declarationOf(type, value, reporter.positionOf(key), reporter)
    if (type === 'enum' && !childOf(value, 'values')) {
      const hint = 'values: [A, B]'
      reporter.error({ code: 'missing-key', message: `the enum ${name} has no values`, hint }, key)
    }
    for (const [option, of] of [
      ['values', 'enum'],
      ['items', 'list'],
    ] as const) {
      const stray = value.kind === 'map' ? value.entries.get(option) : undefined
      if (stray && type !== of) {
        const message = `${option} belongs to an input of type ${of}, ${name} is of type ${type}`
        reporter.error({ code: 'unknown-key', message }, stray.key)
      }
    }
  }
  return declarations
}

function declarationOf(
  type: InputDeclaration['type'],
  node: DocumentNode,
  at: InputDeclaration['at'],
  reporter: DiagnosticCollector,
): InputDeclaration {
  const description = textOf(childOf(node, 'description'))
  const values = itemsOf(childOf(node, 'values')).flatMap((value) => textOf(value) ?? [])
  const items = ITEM_TYPES.find((known) => known === textOf(childOf(node, 'items')))
  const declaration: InputDeclaration = {
    type,
    at,
    ...(description !== undefined && { description }),
    ...(type === 'enum' && { values }),
    ...(type === 'list' && { items: items ?? 'string' }),
  }
  const defaultNode = childOf(node, 'default')
  if (!defaultNode) return declaration
  const value = toValue(defaultNode)
  if (typeof value === 'string' && value.includes('${{')) {
    const hint = 'write a plain value; a step can use default(…) instead'
    reporter.error({ code: 'expression-not-here', message: 'expressions are not evaluated here', hint }, defaultNode)
    return declaration
  }
  const typed = typedInput(declaration, value)
  if ('problem' in typed) {
    const { message, hint } = typed.problem
    reporter.error({ code: 'wrong-value', message: `default ${message}`, hint }, defaultNode)
    return declaration
  }
  return { ...declaration, default: typed.value satisfies Json }
}
