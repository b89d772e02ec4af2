import { describe, expect, test } from 'vitest'
import { EXPRESSION_LIMITS, parseExpression } from '../../src/expressions/parse.ts'
import { evaluateText, failureOf } from './evaluate-text.ts'

const list = Array.from({ length: 1000 }, (_, index) => BigInt(index))
const nest = (levels: number, body: string): string =>
  levels === 0 ? body : `inputs.list.map(x${levels}, ${nest(levels - 1, body)})`

/** Each expression would take hours or gigabytes without limits. */
const hostile: readonly (readonly [string, string])[] = [
  ['loops in loops', nest(6, '1')],
  ['loops that make nothing', nest(6, 'true').replaceAll('.map(', '.all(')],
  ['loops over text', nest(5, 'inputs.text')],
  ['lists of lists of one large text', `${nest(2, 'inputs.text')}`],
  ['text doubled again and again', `inputs.text.replace("a", inputs.text).replace("a", inputs.text)`],
  ['text made of lists', `${nest(1, `${nest(1, 'inputs.text')}.join()`)}.join()`],
  ['text between all characters', `inputs.text.replace("", inputs.text).replace("", inputs.text)`],
  ['comparing large texts', nest(3, 'inputs.text + "a" == inputs.text + "b"')],
  ['comparing large lists', nest(3, 'inputs.list == inputs.list')],
  ['searching large lists', nest(3, '(-1) in inputs.list')],
  ['time zones', nest(2, 'today("America/New_York")')],
  ['hashes', nest(2, 'sha256(inputs.text)')],
  ['a pattern that backtracks', nest(2, 'inputs.text.matches("(a+)+$|(a|aa)+b|([a-z]+)*c")')],
  ['searching large texts', nest(3, 'inputs.text.contains("b") || inputs.text.indexOf("b") > 0')],
  ['places in large texts', nest(2, 'inputs.text.charAt(19999) + inputs.text.substring(19999)')],
  ['trimming large texts', nest(2, 'inputs.space.trim()')],
  ['formatting lists of large texts', `"%s".format([${nest(1, 'inputs.text')}])`],
  ['formatting large texts as hex', `"%x".format([inputs.text.replace("a", "${'b'.repeat(30)}")])`],
  ['formatting in loops', nest(3, '"%.20f %s".format([0.1, inputs.list])')],
  ['sums of large lists', nest(3, 'sum(inputs.list) + max(inputs.list)')],
  ['parts of times in zones', nest(2, 'now().getHours("America/New_York")')],
  ['a value that is there often', nest(2, 'inputs.list')],
]

describe('hostile expressions', () => {
  const inputs = { list, text: 'a'.repeat(20_000), space: ' '.repeat(20_000) }

  test.each(hostile)('%s are stopped', (_name, source) => {
    const before = process.memoryUsage().rss
    const run = { id: 'r', pipeline: 'p', startedAt: '2026-03-01T03:30:00Z' }
    expect(failureOf(source, { inputs, run }).message).toMatch(
      /does too much work|makes a text of more than 1,048,576 characters/,
    )
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000)
  })

  test('are not forgiven by what forgives failures', () => {
    const loop = nest(6, '1')
    for (const source of [`default(${loop}, 1)`, `true || ${loop} == []`, `has(${loop}[0].x)`]) {
      if (source.startsWith('true')) expect(evaluateText(source, { inputs })).toBe(true)
      else expect(failureOf(source, { inputs }).message).toContain('does too much work')
    }
  })

  test('takes linear time for patterns that take exponential time elsewhere', () => {
    const text = `${'a'.repeat(5000)}!`
    expect(evaluateText('inputs.text.matches("^(a+)+$")', { inputs: { text } })).toBe(false)
    expect(evaluateText('inputs.text.matches("^(a|a|aa)*!$")', { inputs: { text } })).toBe(true)
  })
})

describe('limits on the text of an expression', () => {
  test.each([
    ['length', `"${'a'.repeat(EXPRESSION_LIMITS.length)}"`],
    ['nodes', Array(600).fill('1').join('+')],
    ['nesting', `${'('.repeat(60)}1${')'.repeat(60)}`],
    ['nested lists', `${'['.repeat(60)}1${']'.repeat(60)}`],
    ['list items', `[${Array(300).fill('1').join(',')}]`],
    ['arguments', `size(${Array(30).fill('1').join(',')})`],
    ['fields', `a${'.a'.repeat(60)}`],
  ])('%s', (_name, source) => {
    expect(parseExpression(source)).toMatchObject({ problem: { code: 'expression-too-complex' } })
  })

  test.each([['not'], ['minus']])('does not run out of stack with %s', (name) => {
    const source = `${(name === 'not' ? '!' : '-').repeat(4000)}a`
    expect(parseExpression(source)).toMatchObject({ problem: { code: 'expression-too-complex' } })
  })

  test('refuses a deep tree that needs no brackets', () => {
    expect(failureOf(Array(450).fill('inputs.n').join('+')).code).toBe('expression-failed')
  })
})
