import { AudienceError } from '../../src/core/errors.ts'
import type { Json } from '../../src/core/json.ts'
import { evaluateTemplate } from '../../src/expressions/evaluate.ts'
import type { Scope } from '../../src/expressions/values.ts'

const at = { file: 'p.yaml', line: 3, column: 10 }

/** The value of one whole expression. */
export function evaluateText(source: string, scope: Scope = {}): Json {
  return evaluateTemplate({ kind: 'expression', expression: { source, at } }, scope)
}

/** Why an expression has no value; fails the test when it has one, or when anything else is thrown. */
export function failureOf(source: string, scope: Scope = {}): AudienceError {
  try {
    const value = evaluateText(source, scope)
    throw new Error(`${source} gave ${String(value)}`)
  } catch (error) {
    if (error instanceof AudienceError) return error
    throw error
  }
}

/** A run in progress, with a value under every root. */
export const scope: Scope = {
  inputs: {
    n: 5n,
    ratio: 1.5,
    text: 'Auto intenders',
    file: '/data/inbox/auto.csv',
    ids: [1n, 2n, 3n],
    names: ['b', 'a'],
    big: 9007199254740993n,
    nothing: null,
    nested: { list: [{ a: 1n }, { a: 2n }] },
  },
  steps: { match: { status: 'succeeded', outputs: { matchCount: 120n } }, other: { status: 'failed' } },
  run: { id: 'r1', pipeline: 'p', startedAt: '2026-03-01T03:30:00.000Z' },
  env: { URL: 'https://example.com' },
}
