import type { Json } from '../core/json.ts'
import type { Expression, Template } from '../core/template.ts'
import type { Budget } from './budget.ts'
import { textOfValue } from './conversion-functions.ts'
import { evaluateNode } from './evaluate-node.ts'
import { contextOf, type EvaluationContext } from './evaluation-context.ts'
import { ExpressionFailure } from './failure.ts'
import type { Node } from './parse.ts'
import { formatTimestamp } from './time.ts'
import { expressionFailed, treeOf } from './tree-of.ts'
import { Duration, describeValue, isList, Timestamp, type Value } from './value.ts'
import type { Scope } from './values.ts'

/** The scope of a template without expressions. */
const NOTHING = contextOf({})

/**
 * The value of a template: integers as bigint, timestamps as RFC 3339 text. Throws AudienceError `expression-failed`
 * with the position of the part that failed.
 */
export function evaluateTemplate(template: Template, scope: Scope): Json {
  return templateValue(template, hasExpressions(template) ? contextOf(scope) : NOTHING)
}

/** Whether the value of a template depends on a scope. */
export function hasExpressions(template: Template): boolean {
  if (template.kind === 'list') return template.items.some(hasExpressions)
  if (template.kind === 'map') return Object.values(template.entries).some(hasExpressions)
  return template.kind !== 'value'
}

/** Whether a condition is true. Throws AudienceError `expression-failed`, including if the result is not a boolean. */
export function evaluateCondition(expression: Expression, scope: Scope): boolean {
  return evaluateConditionIn(expression, contextOf(scope))
}

/** Like `evaluateCondition`, for a context that may have names that no pipeline has. */
export function evaluateConditionIn(expression: Expression, context: EvaluationContext): boolean {
  return withValue(expression, context, (value, node) => {
    if (typeof value === 'boolean') return value
    throw new ExpressionFailure(`a condition gives a boolean, but this is ${describeValue(value)}`, node)
  })
}

/**
 * The number that an expression evaluates to. Throws AudienceError `expression-failed`, including if it evaluates to
 * something else.
 */
export function evaluateNumber(expression: Expression, scope: Scope): number {
  return withValue(expression, contextOf(scope), (value, node) => {
    const number = typeof value === 'bigint' ? Number(value) : value
    if (typeof number === 'number' && Number.isFinite(number)) return number
    const given = typeof number === 'number' ? 'infinite or not a number' : describeValue(value)
    throw new ExpressionFailure(`a number is needed here, but this is ${given}`, node)
  })
}

function templateValue(template: Template, context: EvaluationContext): Json {
  switch (template.kind) {
    case 'value':
      return template.value
    case 'expression':
      return withValue(template.expression, context, (value, node) => toJson(value, node, context.budget))
    case 'text':
      return template.parts.map((part) => (typeof part === 'string' ? part : textValue(part, context))).join('')
    case 'list':
      return template.items.map((item) => templateValue(item, context))
    case 'map': {
      const entries = Object.entries(template.entries)
      return Object.fromEntries(entries.map(([key, entry]) => [key, templateValue(entry, context)]))
    }
  }
}

function textValue(expression: Expression, context: EvaluationContext): string {
  return withValue(expression, context, (value, node) => {
    const text = textOfValue(value)
    if (text !== undefined) {
      context.budget.spendText(text.length, node)
      return text
    }
    const kind = describeValue(value)
    throw new ExpressionFailure(`${kind} cannot be part of a text`, node, { missing: value === null })
  })
}

/** Evaluates an expression and passes on the value with the node that it came from. */
function withValue<T>(expression: Expression, context: EvaluationContext, use: (value: Value, node: Node) => T): T {
  const node = treeOf(expression)
  try {
    return use(evaluateNode(node, context), node)
  } catch (error) {
    if (error instanceof ExpressionFailure) throw expressionFailed(expression, error)
    throw error
  }
}

/**
 * The result of an expression as JSON, timestamps as RFC 3339 text. A value that appears several times counts each
 * time, because it is also written each time. Throws ExpressionFailure.
 */
function toJson(value: Value, place: { start: number; end: number }, budget: Budget): Json {
  budget.spend(1, place)
  switch (typeof value) {
    case 'string':
      budget.spendText(value.length, place)
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw new ExpressionFailure('the number is infinite or not a number', place)
    case 'bigint':
    case 'boolean':
      return value
  }
  if (value === null) return null
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) throw new ExpressionFailure('a duration has no value outside expressions', place)
  if (isList(value)) return value.map((item) => toJson(item, place, budget))
  const result: Record<string, Json> = {}
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) result[key] = toJson(field, place, budget)
  }
  return result
}
