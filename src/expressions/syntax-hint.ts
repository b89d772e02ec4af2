/** The position in the text of an expression where the parser stopped. */
interface Stop {
  readonly source: string
  readonly start: number
  readonly end: number
  /** What the parser expected there. */
  readonly expected: string | undefined
}

/** For a common syntax error, what to write instead; undefined for any other error. */
export function syntaxHint({ source, start, end, expected }: Stop): string | undefined {
  const found = source.slice(start, end)
  const before = source.slice(0, start).trimEnd()
  if (found === '') return atTheEnd(before, expected)
  if (found === ',' && /\bin\s*\([^()]*$/.test(before)) return 'write a list in brackets: in [a, b]'
  if (found === 'in' && /\bnot$/i.test(before)) return 'write !(item in list)'
  for (const word of [found, /\w+$/.exec(before)?.[0] ?? '']) {
    const operator = WORDS.get(word.toLowerCase())
    if (operator) return `write ${operator} instead of ${word}`
  }
  const called = METHODS.has(found) ? callOf(found, before, source.slice(end).trimStart()) : undefined
  if (called) return called
  const comparison = COMPARISONS.get(found + source.charAt(start + 1))
  if (comparison) return comparison
  if (found === '|' && /^\s*default\b/.test(source.slice(end))) return 'write default(value, other value)'
  const other = SIGNS.get(found)
  if (other) return before.endsWith('=') ? 'compare with == or !=' : other
  const isOpenText = /^["']/.test(found) && (found.length === 1 || !found.endsWith(found.charAt(0)))
  if (isOpenText) return `write another ${found.charAt(0)} where the text ends`
  return /^[\w"']/.test(found) && /[\w)\]}"']$/.test(before)
    ? 'write an operator before it, such as + or &&; text must be in quotes'
    : undefined
}

function atTheEnd(before: string, expected: string | undefined): string | undefined {
  if (expected === ':') return 'write condition ? value : other value'
  if (expected !== undefined && /^[)\]}]$/.test(expected)) return `write another ${expected}`
  const last = /[^\w\s]+$/.exec(before)?.[0]
  return last && `write what comes after ${last}, or leave it out`
}

/** `name contains "x"` as a call. */
function callOf(method: string, before: string, after: string): string | undefined {
  const [text] = /[\w.]+$/.exec(before) ?? []
  const [argument] = /^(?:"[^"]*"|'[^']*'|[\w.]+)/.exec(after) ?? []
  return text && argument && `write ${text}.${method}(${argument})`
}

const METHODS: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith', 'matches'])

/** Words from other languages. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['if', 'condition ? value : other value'],
])

/**
 * Hints for comparisons from other languages. A key is the character at which the parser stops, and the next character.
 */
const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['=>', 'write >= for at least, or map(item, value) for a macro'],
  ['=<', 'write <= for at most'],
  ['=~', 'write .matches("…")'],
])

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['=', 'compare with =='],
  ['&', 'and is &&'],
  ['|', 'or is ||'],
  ['$', 'inside ${{ }}, a name has no $'],
  [')', 'leave it out, or write ( where it begins'],
  [']', 'leave it out, or write [ where it begins'],
  ['}', 'leave it out, or write { where it begins'],
])
