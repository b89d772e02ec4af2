import type { Position } from '../core/diagnostic.ts'
import { AudienceError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Expression, Template } from '../core/pipeline.ts'
import { evaluateNode } from './evaluate-node.ts'
import type { EvaluationContext } from './evaluation-context.ts'
import { ExpressionFailure } from './failure.ts'
import { textOf } from './functions.ts'
import { type Node, parseExpression } from './parse.ts'
import { contextOf } from './scope.ts'
import { toJson } from './to-json.ts'
import { KIND_NAMES, withArticle } from './types.ts'
import { kindOf, type Value } from './value.ts'
import type { Scope } from './values.ts'

/**
 * The value of a template: integers as bigint, timestamps as RFC 3339 text. Throws AudienceError `expression-failed`
 * with the place of the part that failed.
 */
export function evaluateTemplate(template: Template, scope: Scope): Json {
  return templateValue(template, contextOf(scope))
}

/** Whether its value depends on a scope. */
export function hasExpressions(template: Template): boolean {
  if (template.kind === 'list') return template.items.some(hasExpressions)
  if (template.kind === 'map') return Object.values(template.entries).some(hasExpressions)
  return template.kind !== 'value'
}

/** Whether a condition holds. Throws AudienceError `expression-failed`, also when it gives no boolean. */
export function evaluateCondition(expression: Expression, scope: Scope): boolean {
  return withValue(expression, contextOf(scope), (value, node) => {
    if (typeof value === 'boolean') return value
    throw new ExpressionFailure(`a condition gives a boolean, this is ${withArticle(KIND_NAMES[kindOf(value)])}`, node)
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
    const text = textOf(value)
    if (text !== undefined) {
      context.budget.spendText(text.length, node)
      return text
    }
    const kind = withArticle(KIND_NAMES[kindOf(value)])
    throw new ExpressionFailure(`${kind} cannot stand inside of a text`, node, { missing: value === null })
  })
}

/** Evaluates, and hands the value on together with the node that it came from. */
function withValue<T>(expression: Expression, context: EvaluationContext, use: (value: Value, node: Node) => T): T {
  const node = parsed(expression)
  try {
    return use(evaluateNode(node, context), node)
  } catch (error) {
    if (error instanceof ExpressionFailure) throw failed(expression, error)
    throw error
  }
}

function failed(expression: Expression, failure: ExpressionFailure): AudienceError {
  return new AudienceError({
    code: 'expression-failed',
    kind: 'failed',
    message: `\${{ ${shortened(expression.source)} }}: ${failure.message}`,
    ...(failure.missing && { hint: 'default(value, fallback) gives a fallback for what may be missing' }),
    at: placeIn(expression, failure),
    cause: failure,
  })
}

/** The place of a part of an expression; its beginning where the document writes it over several lines or escaped. */
function placeIn({ at, source, folded }: Expression, { start, end }: { start: number; end: number }): Position {
  if (folded) return at
  return {
    file: at.file,
    line: at.line,
    column: at.column + start,
    length: Math.max(1, Math.min(end, source.length) - start),
  }
}

function shortened(source: string): string {
  return source.length <= 80 ? source : `${source.slice(0, 77)}…`
}

/**
 * Trees of expressions that were evaluated before: a forEach evaluates the same expression for every item. Keyed by the
 * object, so that they go away with their pipeline.
 */
const trees = new WeakMap<Expression, Node>()

function parsed(expression: Expression): Node {
  const known = trees.get(expression)
  if (known) return known
  const result = parseExpression(expression.source)
  if ('problem' in result) throw failed(expression, new ExpressionFailure(result.problem.message, result.problem))
  trees.set(expression, result.node)
  return result.node
}
