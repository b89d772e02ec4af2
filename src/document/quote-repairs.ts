import { type Candidate, syntax } from './repair.ts'

/** A value with a quote in it that ends it, or with something that means something to YAML: it needs other quotes. */
export function* valueInQuotes(lines: readonly string[], line: number): Generator<Candidate> {
  const text = lines[line] ?? ''
  for (const { problem, start, end, written } of [...innerQuotes(text), ...withoutQuotes(text)]) {
    yield {
      problem: syntax(problem, `write ${written}`),
      ...{ line, start, end, until: line },
      lines: lines.with(line, text.slice(0, start) + written + text.slice(end)),
    }
  }
}

interface Rewritten {
  readonly problem: string
  readonly start: number
  readonly end: number
  readonly written: string
}

/** A quote that is not closed on its line. Inside of brackets the parser stops only at the end of the document. */
export function* openQuotes(lines: readonly string[], errorLine: number): Generator<Candidate> {
  for (let line = 0; line <= errorLine; line++) {
    const text = lines[line] ?? ''
    for (const quote of ['"', "'"]) {
      const start = text.search(quote === '"' ? OPENING_DOUBLE : OPENING_SINGLE)
      if (start === -1 || text.split(quote).length % 2 === 1) continue
      const end = text.trimEnd().length
      const bracket = /[[{]/.test(text.slice(0, start))
        ? withoutExpressions(text)
            .slice(start)
            .search(/[,\]}]/)
        : -1
      for (const at of bracket === -1 ? [end] : [start + bracket, end]) {
        yield {
          problem: syntax(`the quote ${quote} is not closed on its line`, `write another ${quote} where the text ends`),
          ...{ line, start, end, until: line },
          lines: lines.with(line, text.slice(0, at) + quote + text.slice(at)),
        }
      }
    }
  }
}

/** The text with its expressions, whose braces are no brackets, as letters. */
function withoutExpressions(text: string): string {
  return text.replaceAll(/\$\{\{.{0,500}?\}\}/g, (expression) => 'x'.repeat(expression.length))
}

/** A quote at the beginning of a value. */
const OPENING_DOUBLE = /(?<=(?:: +|- +|[[{,] *))"/
const OPENING_SINGLE = /(?<=(?:: +|- +|[[{,] *))'/

/** What stands before a value, the value in quotes, and a comment. */
const IN_QUOTES = /^(\s*(?:- +)*(?:[\w-]+: +)?)(["'])(.*)\2\s*(?:#.*)?$/

function* innerQuotes(text: string): Generator<Rewritten> {
  const [, before = '', quote = '', inner = ''] = IN_QUOTES.exec(text) ?? []
  if (!inner.includes(quote)) return
  const start = before.length
  const problem = `the text ends at the ${quote} in it`
  yield { problem, start, end: start + inner.length + 2, written: quoted(inner) }
}

/** What stands before a value without quotes, and the value: on a line of its own, and inside of braces. */
const PLAIN = /^(\s*(?:- +)*[\w-]+: +)([^\s"'[{#|>][^#]*?)\s*(?:#.*)?$/
const PLAIN_INSIDE = /([{,] *[\w-]+: +)([*&!%@`][^,}\]]*?)(?=\s*[,}\]])/g

function* withoutQuotes(text: string): Generator<Rewritten> {
  for (const { 1: before = '', 2: value = '', index = 0 } of [
    ...matchOf(PLAIN, text),
    ...text.matchAll(PLAIN_INSIDE),
  ]) {
    const sign = /^[*&!%@`]/.exec(value)?.[0]
    if (sign === undefined && !/:(\s|$)/.test(value)) continue
    const problem = sign
      ? `without quotes, the ${sign} at the beginning is a sign of YAML`
      : 'without quotes, the colon in the text makes it a key and its value'
    const start = index + before.length
    yield { problem, start, end: start + value.length, written: quoted(value) }
  }
}

function matchOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const match = pattern.exec(text)
  return match ? [match] : []
}

/** A text in those quotes that need the fewest changes in it. */
export function quoted(text: string): string {
  return /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`
}
