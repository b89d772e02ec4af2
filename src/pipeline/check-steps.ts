import type { JsonSchema } from '../core/json-schema.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import { DYN, describeType, type Type, withArticle } from '../expressions/types.ts'
import { checkGuard } from './check-guard.ts'
import { checkWith } from './check-with.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { DocumentNames } from './expression-names.ts'
import type { StepDraft } from './read-steps.ts'

/** Names that expressions begin with, and words that CEL reserves. */
const RESERVED = new Set([
  ...['inputs', 'steps', 'trigger', 'run', 'env', 'last', 'outputs', 'true', 'false', 'null', 'in', 'as', 'break'],
  ...['const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return'],
  ...['var', 'void', 'while', '__proto__', 'prototype'],
])

/**
 * Checks the content of steps: their input, and every expression in them. Returns the item type of each step with a
 * forEach.
 */
export function checkSteps(
  drafts: readonly StepDraft[],
  names: DocumentNames,
  checker: ExpressionChecker,
  reporter: DiagnosticCollector,
): ReadonlyMap<StepDraft, Type> {
  const itemTypes = new Map<StepDraft, Type>()
  for (const draft of drafts) {
    const { step, type } = draft
    const outside = names.in({ step: draft })
    checker.condition(step.if, outside, 'if')
    const item = checkForEach(draft, names.in({ step: draft, recorded: true }), checker, reporter)
    if (item) itemTypes.set(draft, item)
    const inside = item ? names.in({ step: draft, item }) : outside
    checkWith(draft, reporter)
    checker.template(step.with, inside, inputSchema(draft))
    if (step.expect.length > 0) checkExpect(draft, names, item, checker)
    const measured = { step: draft, inExpect: true, recorded: true, ...(item && { item }) }
    if (step.guard) checkGuard(draft, names.in(measured), checker, reporter)
    const awaitKey = draft.node.entries.get('await')?.key
    if (awaitKey && type && !type.startsJob) {
      const message = `${step.uses} starts no job, so there is nothing to wait for`
      reporter.error({ code: 'await-without-job', message, hint: 'leave await out' }, awaitKey)
    }
    if (step.id === 'in') {
      const message = 'in cannot be the id of a step: expressions could not name it'
      reporter.error({ code: 'wrong-name', message }, childOf(draft.node, 'id') ?? draft.node)
    }
  }
  return itemTypes
}

function inputSchema({ type }: StepDraft): JsonSchema {
  return type?.input ?? {}
}

function checkExpect(draft: StepDraft, names: DocumentNames, item: Type | undefined, checker: ExpressionChecker): void {
  const place = { step: draft, inExpect: true, ...(item && { item }) }
  const [scope, recorded] = [names.in(place), names.in({ ...place, recorded: true })]
  for (const { check, message } of draft.step.expect) {
    checker.condition(check, scope, 'check')
    checker.template(message, recorded, { type: 'string' })
  }
}

/** The type of an item, if the step has a forEach. */
function checkForEach(
  { step, node }: StepDraft,
  names: Names,
  checker: ExpressionChecker,
  reporter: DiagnosticCollector,
): Type | undefined {
  if (!step.forEach) return undefined
  const { items, as } = step.forEach
  const forEach = childOf(node, 'forEach')
  if (RESERVED.has(as) || (as === 'variables' && Object.hasOwn(names, as))) {
    const message = `${as} already means something in expressions`
    reporter.error({ code: 'wrong-name', message, hint: 'take another name' }, childOf(forEach, 'as') ?? node)
  }
  const place = childOf(forEach, 'items') ?? node
  if (items.kind === 'value') {
    if (Array.isArray(items.value)) return itemType(items.value)
    reporter.error({ code: 'wrong-type', message: 'items must be a list or an expression that gives one' }, place)
    return DYN
  }
  const type = checker.template(items, names)
  if (type.kind === 'list') return type.items
  if (type.kind !== 'dyn') {
    const message = `items must be a list, this is ${withArticle(describeType(type))}`
    reporter.error({ code: 'expression-type', message }, place)
  }
  return DYN
}

/** The common type of the items of a literal list. */
function itemType(items: readonly unknown[]): Type {
  const kinds = new Set(items.map((item) => typeof item))
  const [kind] = kinds
  if (kinds.size !== 1) return DYN
  if (kind === 'string') return { kind: 'string', values: items.filter((item) => typeof item === 'string') }
  if (kind === 'bigint') return { kind: 'int' }
  if (kind === 'number') return { kind: 'double' }
  return kind === 'boolean' ? { kind: 'bool' } : DYN
}
