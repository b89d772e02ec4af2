import type { JsonSchema } from '../core/json-schema.ts'
import type { ForEach, Guard } from '../core/pipeline.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import { DYN, describeType, type Type } from '../expressions/types.ts'
import { checkWith } from './check-with.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { DocumentNames } from './expression-names.ts'
import { type AnyDraft, type BlockDraft, isStepDraft, type StepDraft } from './read-steps.ts'
import { KEYS_OF_INNER_STEPS } from './step-schema.ts'

/** The step type that ends a run. */
const FAILING_STEP = 'run.fail'

/** Names that expressions begin with, and words that CEL reserves. */
const RESERVED = new Set([
  ...['inputs', 'steps', 'trigger', 'run', 'env', 'last', 'outputs', 'true', 'false', 'null', 'in', 'as', 'break'],
  ...['const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return'],
  ...['var', 'void', 'while', '__proto__', 'prototype'],
])

/**
 * Checks the content of steps: their input, and every expression in them. For each step and block, returns the type of
 * the item that its expressions can read, if there is one.
 */
export function checkSteps(
  drafts: readonly AnyDraft[],
  names: DocumentNames,
  checker: ExpressionChecker,
  reporter: DiagnosticCollector,
): ReadonlyMap<AnyDraft, Type> {
  const itemTypes = new Map<AnyDraft, Type>()
  for (const draft of drafts) {
    const { step } = draft
    const around = draft.block && itemTypes.get(draft.block)
    const outside = names.in({ step: draft, item: around })
    checker.condition(step.if, outside, 'if')
    const item = around ?? checkForEach(draft, names, checker, reporter)
    if (item) itemTypes.set(draft, item)
    if (step.id === 'in') {
      const message = '`in` cannot be the id of a step: expressions could not name the step'
      reporter.error({ code: 'wrong-name', message }, childOf(draft.node, 'id') ?? draft.node)
    }
    if (!isStepDraft(draft)) {
      reportKeysOfInnerSteps(draft, reporter)
      continue
    }
    const inside = item ? names.in({ step: draft, item }) : outside
    checkWith(draft, reporter)
    checker.template(draft.step.with, inside, inputSchema(draft))
    if (draft.step.expect.length > 0) checkExpect(draft, names, item, checker)
    const measured = { step: draft, inExpect: true, recorded: true, item }
    if (draft.step.guard) checkGuard(draft, names.in(measured), checker, reporter)
    const awaitKey = draft.node.entries.get('await')?.key
    if (awaitKey && draft.type && !draft.type.startsJob) {
      const message = `${draft.step.uses} starts no job, so there is nothing to wait for`
      reporter.error({ code: 'await-without-job', message, hint: 'leave await out' }, awaitKey)
    }
    const needing = draft.type?.needsAwait?.find((name) => draft.withEntry && childOf(draft.withEntry.value, name))
    if (draft.type?.startsJob && draft.step.await === false && needing !== undefined) {
      const message = `${needing} can be done only after the job of the step has ended`
      reporter.wrongValue(message, awaitKey ?? draft.node, 'leave await: false out')
    }
    if (draft.step.uses === FAILING_STEP && step.continueOnError) {
      const message = `${FAILING_STEP} ends the run as failed, and continueOnError lets it go on`
      const place = draft.node.entries.get('continueOnError')?.key ?? draft.node
      reporter.wrongValue(message, place, 'leave continueOnError out')
    }
  }
  return itemTypes
}

/** A forEach over several steps does no work itself, so these keys have no meaning there. */
function reportKeysOfInnerSteps({ node }: BlockDraft, reporter: DiagnosticCollector): void {
  for (const name of KEYS_OF_INNER_STEPS) {
    const entry = node.entries.get(name)
    if (!entry) continue
    const hint = name === 'uses' ? 'a step has either `uses` or `steps`' : 'move it to the steps that it applies to'
    reporter.error({ code: 'unknown-key', message: `${name} is not allowed beside \`steps\``, hint }, entry.key)
  }
}

function inputSchema({ type }: StepDraft): JsonSchema {
  return type?.input ?? {}
}

function checkExpect(draft: StepDraft, names: DocumentNames, item: Type | undefined, checker: ExpressionChecker): void {
  const place = { step: draft, inExpect: true, item }
  const [scope, recorded] = [names.in(place), names.in({ ...place, recorded: true })]
  for (const { check, message } of draft.step.expect) {
    checker.condition(check, scope, 'check')
    checker.template(message, recorded, { type: 'string' })
  }
}

/** The type of an item, if the step has a forEach. */
function checkForEach(
  draft: AnyDraft,
  names: DocumentNames,
  checker: ExpressionChecker,
  reporter: DiagnosticCollector,
): Type | undefined {
  const { step, node } = draft
  if (!step.forEach) return undefined
  const forEach = childOf(node, 'forEach')
  const { as, key } = step.forEach
  const outside = names.in({ step: draft, recorded: true })
  if (RESERVED.has(as) || (as === 'variables' && Object.hasOwn(outside, as))) {
    const message = `${as} already means something in expressions`
    reporter.error({ code: 'wrong-name', message, hint: 'take another name' }, childOf(forEach, 'as') ?? node)
  }
  const item = checkItems(step.forEach, outside, checker, {
    reporter,
    place: childOf(forEach, 'items') ?? node,
  })
  if (key?.kind === 'value') {
    const message = 'key must hold an expression, otherwise all items have the same key'
    const hint = `write \${{ ${as}.id }}, or another field that differs`
    reporter.wrongValue(message, childOf(forEach, 'key') ?? node, hint)
  } else if (key) {
    checker.template(key, names.in({ step: draft, item, recorded: true }), { type: ['string', 'integer'] })
  }
  return item
}

function checkItems(
  { items }: ForEach,
  names: Names,
  checker: ExpressionChecker,
  { reporter, place }: { reporter: DiagnosticCollector; place: DocumentNode },
): Type {
  if (items.kind === 'value') {
    if (Array.isArray(items.value)) return itemType(items.value)
    reporter.error({ code: 'wrong-type', message: 'items must be a list or an expression that gives one' }, place)
    return DYN
  }
  const type = checker.template(items, names)
  if (type.kind === 'list') return type.items
  if (type.kind !== 'dyn') {
    const message = `items must be a list, but this is ${describeType(type)}`
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

const NUMBER = { type: 'number' } as const

/** Checks the `guard` of a step: its expressions yield numbers, and its limits can be met. */
function checkGuard(
  { step, node }: StepDraft,
  names: Names,
  checker: ExpressionChecker,
  reporter: DiagnosticCollector,
): void {
  const { guard } = step
  if (!guard) return
  const at = (...path: readonly string[]) => path.reduce(childOf, childOf(node, 'guard')) ?? node
  checker.template({ kind: 'expression', expression: guard.of }, names, NUMBER)
  const { learn, min, max } = guard
  for (const limit of [min, max]) if (limit) checker.template(limit, names, NUMBER)
  if (learn && learn.warmUp > learn.runs) {
    const message = `the guard never judges: it waits for ${learn.warmUp} values and learns from at most ${learn.runs}`
    reporter.wrongValue(message, at('learn'), 'warmUp can be at most `runs`')
  }
  if (!learn && !min && !max) {
    reporter.wrongValue('the guard has no limit for the number', at('learn'), 'give min or max, or let it learn')
  }
  if (guard.notBy !== undefined && guard.onBreach !== 'approve') {
    const message = `nobody is asked: onBreach is ${guard.onBreach}`
    reporter.wrongValue(message, at('notBy'), 'leave notBy out, or let a person approve')
  }
  const [least, most] = [numberOf(min), numberOf(max)]
  if (least !== undefined && most !== undefined && least > most)
    reporter.wrongValue(`min is more than max, ${most}`, at('min'))
}

function numberOf(limit: Guard['min']): number | undefined {
  if (limit?.kind !== 'value') return undefined
  return typeof limit.value === 'number' || typeof limit.value === 'bigint' ? Number(limit.value) : undefined
}
