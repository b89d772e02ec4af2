import { Environment } from '@marcbachmann/cel-js/evaluator'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import { evaluateText } from './evaluate-text.ts'

/**
 * If both know a construct, our evaluator gives the same result as the CEL library. Expressions are well typed, because
 * the two may fail differently on others. Text is ASCII: the library's upperAscii() changes other letters too.
 */
const cel = new Environment({ unlistedVariablesAreDyn: true })

const inputs = { i: 3n, j: -7n, s: 'ab', t: '', l: [1n, 2n, 3n], b: true, d: 0.5 }

const expressions = fc.letrec<{ int: string; bool: string; text: string; list: string; double: string }>((tie) => {
  const two = (operator: string, left: string, right = left) =>
    fc.tuple(tie(left as 'int'), tie(right as 'int')).map(([a, b]) => `(${a} ${operator} ${b})`)
  const compare = fc
    .tuple(fc.constantFrom('int', 'text', 'double'), fc.constantFrom('<', '<=', '>', '>=', '==', '!='))
    .chain(([kind, operator]) => two(operator, kind))
  return {
    int: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('inputs.i', 'inputs.j', '0', '1', '2', '9223372036854775807', 'inputs.l[0]', 'inputs.l[7]'),
      fc.constantFrom('+', '-', '*', '/', '%').chain((operator) => two(operator, 'int')),
      tie('list').map((list) => `size(${list})`),
      tie('text').map((text) => `${text}.size()`),
      fc.tuple(tie('bool'), tie('int'), tie('int')).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
    ),
    double: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('inputs.d', '1.5', '-2.0'),
      fc.constantFrom('+', '-', '*', '/').chain((operator) => two(operator, 'double')),
      tie('int').map((int) => `double(${int})`),
    ),
    bool: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('inputs.b', 'true', 'false', 'has(inputs.s)', 'has(inputs.nope)'),
      compare,
      two('&&', 'bool'),
      two('||', 'bool'),
      two('in', 'int', 'list'),
      two('==', 'list'),
      tie('bool').map((a) => `!${a}`),
      fc
        .tuple(tie('list'), fc.constantFrom('all', 'exists', 'exists_one'), tie('int'))
        .map(([list, macro, int]) => `${list}.${macro}(x, x > ${int})`),
      fc
        .tuple(tie('text'), fc.constantFrom('contains', 'startsWith', 'endsWith'), tie('text'))
        .map(([a, method, b]) => `${a}.${method}(${b})`),
    ),
    text: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('inputs.s', 'inputs.t', '"A b"', "'x'"),
      two('+', 'text'),
      tie('int').map((int) => `string(${int})`),
      tie('bool').map((bool) => `string(${bool})`),
      fc.tuple(tie('text'), fc.constantFrom('upperAscii()', 'trim()', 'substring(1)')).map((parts) => parts.join('.')),
    ),
    list: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('inputs.l', '[1]', '[2, 1]'),
      two('+', 'list'),
      fc.tuple(tie('list'), tie('int')).map(([list, int]) => `${list}.map(y, y + ${int})`),
      fc.tuple(tie('list'), tie('int')).map(([list, int]) => `${list}.filter(y, y != ${int})`),
    ),
  }
})

describe('agreement with the CEL library', () => {
  test.each(['int', 'double', 'bool', 'text', 'list'] as const)('on expressions that give %s', (kind) => {
    fc.assert(
      fc.property(expressions[kind], (source) => {
        expect(result(() => evaluateText(source, { inputs }))).toEqual(result(() => cel.evaluate(source, { inputs })))
      }),
      { numRuns: 400 },
    )
  })
})

/** The value, or `no value` if there is none. A double that JSON cannot write counts as none. */
function result(evaluate: () => unknown): unknown {
  try {
    const value = evaluate()
    return typeof value === 'number' && !Number.isFinite(value) ? 'no value' : value
  } catch (error) {
    if (error instanceof AudienceError || (error instanceof Error && error.name === 'EvaluationError'))
      return 'no value'
    throw error
  }
}
