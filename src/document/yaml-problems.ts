import type { YAMLError } from 'yaml'
import type { Problem } from './diagnostic-collector.ts'
import type { Span } from './document-node.ts'
import { likelyRepair } from './likely-repair.ts'

/** More errors than a person would read. A document full of mistakes has hundreds of thousands of them. */
const MAX_ERRORS = 50
/** Each repair is tried by parsing the whole text. This limits the total number of characters parsed. */
const MAX_PARSED = 300_000
const MAX_REPAIRED = 100_000
const MAX_REPAIRS = 5

const UNQUOTED_EXPRESSION: Problem = {
  code: 'unquoted-expression',
  message: 'inside { } or [ ], YAML reads the braces of an expression as a map',
  hint: `quote the whole value: "\${{ … }}"`,
}

/** A problem with its position in the text. */
interface Found {
  readonly problem: Problem
  readonly span: Span
}

/**
 * The YAML parser's errors, one for each mistake, described in terms of the likely repair if there is one. Errors that
 * only follow from others are left out. `parse` gives the errors of another text; undefined if that text cannot be
 * parsed at all.
 */
export function syntaxProblems(
  text: string,
  errors: readonly YAMLError[],
  parse: (text: string) => readonly YAMLError[] | undefined,
): Found[] {
  const exhausted = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  if (exhausted) return [problemOf(text, exhausted)]
  const sorted = errors.toSorted(byPlace).slice(0, MAX_ERRORS)
  const tab = sorted.find(({ code }) => code === 'TAB_AS_INDENT')
  if (tab) return [tabProblem(text, tab)]
  const space = sorted.length > 0 ? OTHER_SPACE.exec(text) : null
  if (space) return [otherSpace(space)]
  return withRepairs(text, sorted, parse) ?? withoutFollowing(text, sorted)
}

/** The problems, described in terms of their repairs; undefined if not even the first one is understood. */
function withRepairs(
  text: string,
  errors: readonly YAMLError[],
  parse: (text: string) => readonly YAMLError[] | undefined,
): Found[] | undefined {
  if (text.length > MAX_REPAIRED) return undefined
  let budget = MAX_PARSED
  const firstError = (other: string) => {
    budget -= other.length
    if (budget < 0) return 'gaveUp'
    const errors = parse(other)
    // A change after which the text cannot be parsed at all is not a repair.
    if (!errors) return 0
    const [first] = errors.toSorted(byPlace)
    return first && lineNumber(other, first.pos[0])
  }
  const original = text.split('\n')
  const found: Found[] = []
  let current: readonly string[] = original
  let left = errors
  while (left.length > 0) {
    const joined = current.join('\n')
    const [first] = left
    if (!first || found.length >= MAX_REPAIRS) break
    const isOurs = first.code in KNOWN || problemOf(joined, first).problem.code !== 'yaml-syntax'
    const repair = isOurs ? undefined : likelyRepair(current, lineNumber(joined, first.pos[0]), firstError)
    if (!repair) {
      if (found.length === 0) return undefined
      break
    }
    const { problem, line, start, end } = repair
    const lineStart = startOf(original, line)
    const moved = (original[line]?.length ?? 0) - (current[line]?.length ?? 0)
    found.push({ problem, span: { start: lineStart + start + moved, end: lineStart + end + moved } })
    current = repair.lines
    left = (parse(current.join('\n')) ?? []).toSorted(byPlace)
  }
  return found
}

function withoutFollowing(text: string, sorted: readonly YAMLError[]): Found[] {
  const found = sorted
    .filter(({ code }, index) => index === 0 || code !== 'UNEXPECTED_TOKEN')
    .map((error) => problemOf(text, error))
  // An expression that YAML misreads causes several errors on its line; one of them says what to do.
  const misread = found.filter(({ problem }) => problem.code === 'unquoted-expression')
  const lines = misread.map(({ span }) => lineOf(text, span.start))
  const [first] = misread
  return found.filter(
    (other) => other === first || !lines.some((line) => other.span.start >= line.start && other.span.start <= line.end),
  )
}

/** One problem for all tabs, because every other error may follow from them. */
function tabProblem(text: string, { pos: [start, end] }: YAMLError): Found {
  const tabs = text.split('\n').filter((line) => /^ *\t\s*\S/.test(line)).length
  const others = tabs > 1 ? `; ${tabs} lines have one` : ''
  return {
    problem: {
      code: 'tab',
      message: 'this line is indented with a tab',
      hint: `write spaces instead of the tab${others}`,
    },
    span: { start, end: Math.max(start + 1, end) },
  }
}

/**
 * Another kind of space where YAML needs a plain one: at the beginning of a line, after a dash or after the colon of a
 * key.
 */
const OTHER_SPACE = /^(?: *(?:- *)?|[ -]*\w[\w-]*:)[\u00a0\u2000-\u200a\u202f\u3000]/m

function otherSpace({ 0: found, index }: RegExpExecArray): Found {
  const start = index + found.length - 1
  return {
    problem: {
      code: 'yaml-syntax',
      message: 'this character looks like a space, but YAML does not read it as one',
      hint: 'type a space with the space bar',
    },
    span: { start, end: start + 1 },
  }
}

function byPlace(a: YAMLError, b: YAMLError): number {
  return a.pos[0] - b.pos[0]
}

function lineNumber(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length - 1
}

function startOf(lines: readonly string[], line: number): number {
  return lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0)
}

function problemOf(text: string, error: YAMLError): { problem: Problem; span: Span } {
  const [start, end] = error.pos
  const line = lineOf(text, start)
  const lineText = text.slice(line.start, line.end)
  const expression = lineText.indexOf('${{')
  const before = lineText.slice(0, expression)
  if (expression !== -1 && !endsInQuotes(before) && EXPRESSION_CODES.has(error.code)) {
    const at = { start: line.start + expression, end: line.start + expression + 3 }
    if (/[[{,]/.test(before)) return { problem: UNQUOTED_EXPRESSION, span: at }
    // Without a colon, the mistake is elsewhere.
    if (/:\s/.test(lineText.slice(expression))) return { problem: COLON_IN_EXPRESSION, span: at }
  }
  const span = { start, end: Math.max(end, start) }
  const known = KNOWN[error.code]
  if (known) return { problem: known, span }
  const message = error.message.charAt(0).toLowerCase() + error.message.slice(1)
  return { problem: { code: 'yaml-syntax', message: `not valid YAML: ${message}` }, span }
}

function endsInQuotes(text: string): boolean {
  return ['"', "'"].some((quote) => text.split(quote).length % 2 === 0)
}

const COLON_IN_EXPRESSION: Problem = {
  code: 'unquoted-expression',
  message: 'YAML reads ": " in the expression as a key and its value',
  hint: `quote the whole value: '\${{ … }}'`,
}

/** The parser's codes for the braces, or a colon, of an expression without quotes. */
const EXPRESSION_CODES: ReadonlySet<string> = new Set([
  'BAD_INDENT',
  'MISSING_CHAR',
  'UNEXPECTED_TOKEN',
  'BLOCK_IN_FLOW',
  'BLOCK_AS_IMPLICIT_KEY',
])

const KNOWN: Readonly<Record<string, Problem>> = {
  MULTIPLE_DOCS: {
    code: 'several-documents',
    message: 'the file has more than one document',
    hint: 'put each pipeline into its own file; --- begins another document',
  },
  TAG_RESOLVE_FAILED: {
    code: 'unknown-tag',
    message: 'tags (!name) are not part of the format',
  },
  RESOURCE_EXHAUSTION: {
    code: 'too-deep',
    message: 'the document is nested too deeply',
  },
}

function lineOf(text: string, offset: number): Span {
  const end = text.indexOf('\n', offset)
  return { start: text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1, end: end === -1 ? text.length : end }
}
