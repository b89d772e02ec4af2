import { previousLine, type RepairCandidate, syntax } from './mistakes.ts'

/** How many lines above the point where the parser stopped are searched for a mistake. */
export const MAX_LINES = 15

/**
 * Possible mistakes with the brackets of a list or a map: one is missing, one is too many, or one is of the other kind.
 */
export function* bracketRepairs(lines: readonly string[], errorLine: number): Generator<RepairCandidate> {
  for (let line = errorLine; line >= Math.max(0, errorLine - MAX_LINES); line--) {
    const { stray, open } = balance(lines[line] ?? '')
    if (stray) yield* strayBracket(lines, line, stray)
    else if (open.length > 0) yield* openBrackets(lines, line, errorLine)
  }
}

interface Bracket {
  readonly sign: string
  readonly at: number
}

/** A closing bracket, and the last bracket that is open there. */
interface Stray {
  readonly closing: Bracket
  readonly open: Bracket | undefined
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}' }
const OPENING: Readonly<Record<string, string>> = { ']': '[', '}': '{' }
const NOUN: Readonly<Record<string, string>> = { '[': 'list', '{': 'map' }

/** Text in quotes, an expression or a comment, where brackets do not count; or a bracket. */
const PARTS = /"(?:[^"\\]|\\.)*"|'[^']*'|\$\{\{.{0,500}?\}\}|(?:^|\s)#.*|[[\]{}]/g

/**
 * The brackets that are open at the end of a text. `stray`: the first bracket that closes one of another kind, or that
 * closes nothing.
 */
function balance(text: string): { readonly open: readonly Bracket[]; readonly stray?: Stray } {
  const open: Bracket[] = []
  for (const { 0: sign, index: at } of text.matchAll(PARTS)) {
    if (sign in CLOSING) open.push({ sign, at })
    if (!(sign in OPENING)) continue
    const last = open.pop()
    if (last?.sign !== OPENING[sign]) return { open, stray: { closing: { sign, at }, open: last } }
  }
  return { open }
}

function* strayBracket(lines: readonly string[], line: number, stray: Stray): Generator<RepairCandidate> {
  const text = lines[line] ?? ''
  const { sign, at } = stray.closing
  const place = { line, start: at, end: at + 1, until: line }
  const replaced = (other: string) => lines.with(line, text.slice(0, at) + other + text.slice(at + 1))
  if (stray.open) {
    const closing = CLOSING[stray.open.sign] ?? ''
    yield { problem: notClosed(stray.open, closing), ...place, start: stray.open.at, lines: replaced(closing + sign) }
    const problem = syntax(`the ${sign} closes a ${stray.open.sign}`, `write ${closing} instead of ${sign}`)
    yield { problem, ...place, lines: replaced(closing) }
    return
  }
  const opening = OPENING[sign] ?? ''
  const begin = /^\s*(?:- +)*(?:[\w-]+: +)?/.exec(text)?.[0].length ?? 0
  const missing = syntax(`the ${sign} closes nothing`, `write ${opening} where the ${NOUN[opening]} begins`)
  // If the value begins with an opening bracket, the closing bracket is one too many.
  if (!(text.charAt(begin) in CLOSING)) {
    yield { problem: missing, ...place, lines: lines.with(line, text.slice(0, begin) + opening + text.slice(begin)) }
  }
  yield { problem: syntax(`the ${sign} closes nothing`, 'leave it out'), ...place, lines: replaced('') }
}

/** Closes the brackets that a line leaves open: on that line, or on the last one before the parser stopped. */
function* openBrackets(lines: readonly string[], line: number, errorLine: number): Generator<RepairCandidate> {
  for (const until of new Set([line, Math.max(line, previousLine(lines, errorLine) ?? line)])) {
    const { open, stray } = balance(lines.slice(line, until + 1).join('\n'))
    const [first] = open
    // A later line may close this bracket, and leave another one open.
    if (!first || stray || first.at >= (lines[line] ?? '').length) continue
    const closing = open
      .map(({ sign }) => CLOSING[sign])
      .toReversed()
      .join('')
    const text = lines[until] ?? ''
    const end = contentEnd(text)
    yield {
      problem: notClosed(first, closing),
      line,
      start: first.at,
      end: Math.max(first.at + 1, contentEnd(lines[line] ?? '')),
      until,
      lines: lines.with(until, text.slice(0, end) + closing + text.slice(end)),
    }
  }
}

/** A quote that is not closed on its line. Inside brackets, its text ends at the next comma or closing bracket. */
export function* openQuotes(lines: readonly string[], errorLine: number): Generator<RepairCandidate> {
  for (let line = Math.max(0, errorLine - MAX_LINES); line <= errorLine; line++) {
    const text = lines[line] ?? ''
    for (const quote of ['"', "'"]) {
      const start = text.search(quote === '"' ? OPENING_DOUBLE : OPENING_SINGLE)
      if (start === -1 || text.split(quote).length % 2 === 1) continue
      const end = text.trimEnd().length
      // The braces of an expression do not count as brackets.
      const plain = text.replaceAll(/\$\{\{.{0,500}?\}\}/g, (expression) => 'x'.repeat(expression.length))
      const bracket = /[[{]/.test(text.slice(0, start)) ? plain.slice(start).search(/[,\]}]/) : -1
      for (const at of bracket === -1 ? [end] : [start + bracket, end]) {
        yield {
          problem: syntax(`the quote ${quote} is not closed on its line`, `write another ${quote} where the text ends`),
          line,
          start,
          end,
          until: line,
          lines: lines.with(line, text.slice(0, at) + quote + text.slice(at)),
        }
      }
    }
  }
}

/** A quote at the beginning of a value. */
const OPENING_DOUBLE = /(?<=(?:: +|- +|[[{,] *))"/
const OPENING_SINGLE = /(?<=(?:: +|- +|[[{,] *))'/

function notClosed({ sign }: Bracket, closing: string): RepairCandidate['problem'] {
  return syntax(`the ${sign} is not closed`, `write ${closing} where the ${NOUN[sign]} ends`)
}

/** Where the content of a line ends: before its comment, and before the spaces at the end. */
function contentEnd(text: string): number {
  const comment = [...text.matchAll(PARTS)].find(([part]) => /^\s*#/.test(part))
  return text.slice(0, comment?.index).trimEnd().length
}
