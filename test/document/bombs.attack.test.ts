import { expect, test } from 'vitest'
import { DiagnosticCollector } from '../../src/document/diagnostic-collector.ts'
import { readYaml } from '../../src/document/read-yaml.ts'
import { MAX_DOCUMENT_LENGTH } from '../../src/document/utf8-text.ts'

/* Documents of an accepted size that would become gigabytes, or take hours, when they are read. */

const many = (text: string, times: number, between = ', ') => Array(times).fill(text).join(between)
const LONG = 'x'.repeat(900_000)

/** A list with ten copies of the previous list. */
function doubled(levels: number, first: string): string {
  const lines = [`a0: &a0 ${first}`]
  for (let level = 1; level < levels; level++) lines.push(`a${level}: &a${level} [${many(`*a${level - 1}`, 10)}]`)
  return lines.join('\n')
}

const LARGER = 'the aliases make the document larger than'
const MANY_VALUES = `${LARGER} 50,000 values`
const MUCH_TEXT = `${LARGER} 1,000,000 characters`
const TOO_MANY = 'the document has more than 250,000 YAML tokens'
const TOO_DEEP = 'the document is nested more than 50 levels deep'

test.each<[string, string, string | undefined]>([
  ['lists of lists', doubled(9, `[${many('x', 10)}]`), MANY_VALUES],
  ['maps of maps', doubled(9, '{ a: 1 }').replaceAll('[', '{ b: [').replaceAll(']', '] }'), MANY_VALUES],
  ['lists of nothing', doubled(9, '[]'), MANY_VALUES],
  ['one long text, often', `a: &a ${LONG}\nb: [${many('*a', 20_000)}]`, MUCH_TEXT],
  ['a block of text, often', `a: &a |\n  ${LONG}\nb: [${many('*a', 20_000)}]`, MUCH_TEXT],
  ['one long key, often', `a: &a { ${LONG.slice(0, 1000)}: 1 }\nb: [${many('*a', 40_000)}]`, MUCH_TEXT],
  [
    'a list of texts, often',
    `a: &a [${many('"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"', 1000)}]\nb: [${many('*a', 40)}]`,
    MUCH_TEXT,
  ],
  ['an anchor in itself', 'a: &a [*a, *a]', 'there is no complete anchor &a before this alias'],
  ['anchors in each other', 'a: &a [&b [*a, *b], *b]\nc: [*a, *b]', 'there is no complete anchor &a before this alias'],
  ['brackets', '['.repeat(500_000), undefined],
  ['brackets that are closed', `${'['.repeat(200)}${']'.repeat(200)}`, TOO_DEEP],
  ['braces', '{a: '.repeat(200_000), undefined],
  ['lists in lists', `${'- '.repeat(400_000)}x`, undefined],
  ['keys that are maps', '? '.repeat(400_000), undefined],
  ['a list of nothing', '-\n'.repeat(450_000), TOO_MANY],
  ['keys without values', 'a:\n'.repeat(300_000), TOO_MANY],
  ['commas', `[${','.repeat(900_000)}]`, TOO_MANY],
  ['words and brackets', 'foo bar: - { ] "\n'.repeat(50_000), TOO_MANY],
])('%s', (_what, text, message) => {
  expect(text.length).toBeLessThan(MAX_DOCUMENT_LENGTH)
  const reporter = new DiagnosticCollector('p.yaml', text)
  const tree = readYaml(text, reporter)
  expect(reporter.hasErrors).toBe(true)
  if (message) expect(reporter.diagnostics().map((each) => each.message)).toContain(message)
  expect(reporter.diagnostics().length).toBeLessThanOrEqual(200)
  // What remains of the document is small.
  expect(
    JSON.stringify(tree, (_, value) => (typeof value === 'bigint' ? Number(value) : value))?.length ?? 0,
  ).toBeLessThan(2e7)
})

test('what people write once, and use in a hundred places, is no bomb', () => {
  const text = `a: &a { url: "https://hooks.example.com", text: "${'x'.repeat(500)}" }\nb: [${many('*a', 100)}]`
  const reporter = new DiagnosticCollector('p.yaml', text)
  expect(readYaml(text, reporter)).toBeDefined()
  expect(reporter.hasErrors).toBe(false)
})

test('a list of 30,000 values is no bomb', () => {
  const text = `values:\n${'  - c0ffee\n'.repeat(30_000)}`
  const reporter = new DiagnosticCollector('p.yaml', text)
  expect(readYaml(text, reporter)).toBeDefined()
  expect(reporter.hasErrors).toBe(false)
})
