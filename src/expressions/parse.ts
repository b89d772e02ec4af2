import type { ASTNode } from '@marcbachmann/cel-js'
import { Environment } from '@marcbachmann/cel-js/evaluator'
import { count } from '../core/format/figures.ts'
import { absentSyntax } from './absent.ts'
import type { ExpressionCode } from './expression-codes.ts'
import { syntaxHint } from './syntax-hint.ts'

/** A node of a parsed expression; `start` and `end` are offsets in the expression's text. */
export type Node = ASTNode

/** Something wrong with an expression, at a position in its text. */
export interface ExpressionProblem {
  readonly code: ExpressionCode
  readonly message: string
  readonly hint?: string
  readonly start: number
  readonly end: number
}

export type ParsedExpression = { readonly node: Node } | { readonly problem: ExpressionProblem }

/** The limits of an expression; enough for anything that belongs in a pipeline. */
export const EXPRESSION_LIMITS = { length: 4096, nodes: 500, depth: 50, listItems: 200, mapEntries: 100, arguments: 8 }

/** The syntax tree of a CEL expression, or its first syntax error. Never throws. */
export function parseExpression(source: string): ParsedExpression {
  if (source.length > EXPRESSION_LIMITS.length) {
    const message = `the expression is longer than ${count(EXPRESSION_LIMITS.length, 'character')}`
    return { problem: { code: 'expression-too-complex', message, start: 0, end: 0 } }
  }
  if (source.trim() === '') {
    return { problem: { code: 'expression-syntax', message: 'the expression is empty', start: 0, end: source.length } }
  }
  try {
    return { node: environment().parse(source).ast }
  } catch (error) {
    return { problem: syntaxProblem(source, error) }
  }
}

/**
 * Built for the first expression and then kept, because building it takes longer than parsing. We only use the parser
 * of the CEL library. Checking and evaluating are our own, because the library's checker stops at the first error, and
 * the work of its evaluator cannot be limited.
 */
function environment(): Environment {
  made ??= new Environment({
    unlistedVariablesAreDyn: true,
    limits: {
      maxAstNodes: EXPRESSION_LIMITS.nodes,
      maxDepth: EXPRESSION_LIMITS.depth,
      maxListElements: EXPRESSION_LIMITS.listItems,
      maxMapEntries: EXPRESSION_LIMITS.mapEntries,
      maxCallArguments: EXPRESSION_LIMITS.arguments,
    },
  })
  return made
}
let made: Environment | undefined

interface ParseError {
  readonly code: string
  readonly summary: string
  readonly range?: { readonly start: number; readonly end: number }
}

function syntaxProblem(source: string, error: unknown): ExpressionProblem {
  if (!isParseError(error)) throw error
  const start = Math.min(error.range?.start ?? 0, source.length)
  const end = Math.min(Math.max(error.range?.end ?? start, start), source.length)
  if (error.code === 'limit_exceeded') {
    return { code: 'expression-too-complex', message: 'the expression is too long or too deeply nested', start, end }
  }
  if (error.code === 'invalid_macro_argument') {
    const message = 'the first argument is a name for the item, such as n'
    return { code: 'wrong-arguments', message, start, end }
  }
  const absent = absentSyntax(source, start)
  if (absent) return { ...absent, start, end }
  const what = inPlainWords(error.summary, source.slice(start, end))
  const hint = syntaxHint({ source, start, end, expected: /^expected (\S+), /.exec(what)?.[1] })
  return { code: 'expression-syntax', message: `not a valid expression: ${what}`, hint, start, end }
}

function isParseError(error: unknown): error is ParseError {
  return error instanceof Error && error.name === 'ParseError' && 'summary' in error
}

/**
 * The parser's message in plain words. The parser names its tokens in capitals, although people know the symbols, and
 * shows only one letter of an unexpected word.
 */
function inPlainWords(summary: string, found: string): string {
  if (summary === 'Unexpected token: EOF') return 'it ends too early'
  if (/^Unexpected (character|token)/.test(summary) && found !== '') return `unexpected ${found}`
  const text = summary.replace(/\b[A-Z]{2,}\b/g, (token) => TOKEN_LOOKS[token] ?? token)
  return text.charAt(0).toLowerCase() + text.slice(1)
}

const TOKEN_LOOKS: Readonly<Record<string, string>> = {
  EOF: 'the end',
  NUMBER: 'a number',
  STRING: 'a string',
  BYTES: 'bytes',
  BOOLEAN: 'true or false',
  NULL: 'null',
  IDENTIFIER: 'a name',
  PLUS: '+',
  MINUS: '-',
  MULTIPLY: '*',
  DIVIDE: '/',
  MODULO: '%',
  EQ: '==',
  NE: '!=',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  AND: '&&',
  OR: '||',
  NOT: '!',
  IN: 'in',
  LPAREN: '(',
  RPAREN: ')',
  LBRACKET: '[',
  RBRACKET: ']',
  LBRACE: '{',
  RBRACE: '}',
  DOT: '.',
  COMMA: ',',
  COLON: ':',
  QUESTION: '?',
}
