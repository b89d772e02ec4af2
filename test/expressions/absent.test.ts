import { describe, expect, test } from 'vitest'
import { absentParts } from '../../src/expressions/absent.ts'
import { checkExpression } from '../../src/expressions/check.ts'
import { parseExpression } from '../../src/expressions/parse.ts'
import { DYN } from '../../src/expressions/types.ts'

const names = { inputs: DYN, last: DYN, list: DYN, map: DYN }

/** The reference shows these examples. */
describe.each(absentParts)('$what', ({ what, examples, instead }) => {
  test.each(examples)('%s is refused, with what to write', (example) => {
    const parsed = parseExpression(example)
    const problems = 'problem' in parsed ? [parsed.problem] : checkExpression(parsed.node, names).problems
    const message = `${what} are not part of the language`
    expect(problems).toContainEqual(expect.objectContaining({ code: 'expression-unsupported', message, hint: instead }))
  })
})

describe('a mistake that looks like a part of CEL', () => {
  test.each([
    ['inputs.a ? ? 1 : 2', 'not a valid expression'],
    ['inputs..a', 'not a valid expression'],
    ['1 {', 'not a valid expression'],
    ['inputs.a "b"', 'not a valid expression'],
  ])('%s is a syntax error', (source, message) => {
    const parsed = parseExpression(source)
    expect(parsed).toMatchObject({ problem: { code: 'expression-syntax', message: expect.stringContaining(message) } })
  })
})
