import { expect, test } from 'vitest'
import { parseExpression } from '../../src/expressions/parse.ts'

test.each([
  ['inputs.a and inputs.b', 9, 'unexpected and', 'write && instead of and'],
  ['inputs.a OR inputs.b', 9, 'unexpected OR', 'write || instead of OR'],
  ['not inputs.a', 4, 'unexpected inputs', 'write ! instead of not'],
  ['if inputs.a', 0, 'reserved identifier: if', 'write condition ? value : other value instead of if'],
  ['inputs.a = 1', 9, 'unexpected =', 'compare with =='],
  ['inputs.a === 1', 11, 'unexpected =', 'compare with == or !='],
  ['inputs.a !== 1', 11, 'unexpected =', 'compare with == or !='],
  ['inputs.a | upper', 9, 'unexpected |', 'or is ||'],
  ['$inputs.a', 0, 'unexpected $', `inside \${{ }}, a name has no $`],
  ['inputs.a +', 10, 'it ends too early', 'write what comes after +, or leave it out'],
  ['inputs.', 7, 'expected a name, got the end', 'write what comes after ., or leave it out'],
  ['inputs.a ? 1', 12, 'expected :, got the end', 'write condition ? value : other value'],
  ['size(inputs.a', 13, 'expected ), got the end', 'write another )'],
  ['inputs.a)', 8, 'unexpected )', 'leave it out, or write ( where it begins'],
  ["inputs.a == 'text", 12, 'unterminated string', "write another ' where the text ends"],
  ['5 people', 2, 'unexpected people', 'write an operator before it, such as + or &&; text must be in quotes'],
  ['inputs.a "b"', 9, 'unexpected "b"', 'write an operator before it, such as + or &&; text must be in quotes'],
  ['inputs.a in ("b", "c")', 16, 'expected ), got ,', 'write a list in brackets: in [a, b]'],
  ['constructor 1', 12, 'unexpected 1', 'write an operator before it, such as + or &&; text must be in quotes'],
  ['1 toString', 2, 'unexpected toString', 'write an operator before it, such as + or &&; text must be in quotes'],
  ['inputs.a @ 1', 9, 'unexpected @', undefined],
])('%s', (source, start, message, hint) => {
  const problem = { code: 'expression-syntax', message: `not a valid expression: ${message}`, start }
  expect(parseExpression(source)).toMatchObject({ problem: hint === undefined ? problem : { ...problem, hint } })
})
