import type { Position } from '../core/diagnostic.ts'
import { AudienceError } from '../core/errors.ts'
import type { Expression, Template } from '../core/template.ts'
import { ExpressionFailure } from './failure.ts'
import { type Node, parseExpression } from './parse.ts'
import { type References, referencesIn } from './references.ts'

/** The tree of an expression. Throws AudienceError `expression-failed` if its syntax is wrong. */
export function treeOf(expression: Expression): Node {
  const known = trees.get(expression)
  if (known) return known
  const result = parseExpression(expression.source)
  if ('problem' in result)
    throw expressionFailed(expression, new ExpressionFailure(result.problem.message, result.problem))
  trees.set(expression, result.node)
  return result.node
}

/** What an expression reads and calls. Throws the same errors as `treeOf`. */
export function referencesOf(expression: Expression): References {
  return referencesIn(treeOf(expression))
}

/** The expressions in a value. */
export function expressionsOf(template: Template): readonly Expression[] {
  switch (template.kind) {
    case 'value':
      return []
    case 'expression':
      return [template.expression]
    case 'text':
      return template.parts.filter((part) => typeof part !== 'string')
    case 'list':
      return template.items.flatMap(expressionsOf)
    case 'map':
      return Object.values(template.entries).flatMap(expressionsOf)
  }
}

/**
 * Trees of expressions that were evaluated before, kept because a forEach evaluates the same expression for every item.
 * The key is the expression object, so trees are freed with their pipeline.
 */
const trees = new WeakMap<Expression, Node>()

/** The error for a failed expression, with the position of the part that failed. */
export function expressionFailed(expression: Expression, failure: ExpressionFailure): AudienceError {
  return new AudienceError({
    code: 'expression-failed',
    kind: 'failed',
    message: `\${{ ${shortened(expression.source)} }}: ${failure.message}`,
    hint: failure.missing ? 'default(value, fallback) gives the fallback if the value is missing' : undefined,
    at: placeIn(expression, failure),
    cause: failure,
  })
}

/**
 * The position of a part of an expression. If the document writes the expression escaped or over several lines, this is
 * the position of its beginning.
 */
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
