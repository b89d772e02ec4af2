import { bracketRepairs, MAX_LINES, openQuotes } from './bracket-repairs.ts'
import {
  blockEnd,
  indentOf,
  isContent,
  lineRepairs,
  MISTAKES,
  previousLine,
  type Repair,
  type RepairCandidate,
  shifted,
  syntax,
} from './mistakes.ts'

/** The line of the first syntax error, from 0; undefined if there is none, `gaveUp` if no more texts may be parsed. */
export type FirstError = (text: string) => number | undefined | 'gaveUp'

/**
 * Finds the smallest change near a syntax error after which the text parses up to a later line: a different
 * indentation, a colon, a space after it, quotes, a bracket or a comma. The parser only says where it stopped, which is
 * seldom where the mistake is. The fixtures and `one-mistake.test.ts` show the mistakes that it knows.
 */
export function likelyRepair(lines: readonly string[], errorLine: number, firstError: FirstError): Repair | undefined {
  // Searching a line takes time proportional to the square of its length.
  const around = lines.slice(Math.max(0, errorLine - MAX_LINES), errorLine + MAX_LINES)
  if (around.some((line) => line.length > MAX_LENGTH)) return undefined
  for (const { until, ...repair } of candidates(lines, errorLine)) {
    const next = firstError(repair.lines.join('\n'))
    if (next === 'gaveUp') return undefined
    if (next === undefined || next > Math.max(until, errorLine)) return repair
  }
  return undefined
}

const MAX_LENGTH = 1000

function* candidates(lines: readonly string[], errorLine: number): Generator<RepairCandidate> {
  yield* firstLinesIndented(lines, errorLine)
  yield* textNotIndented(lines, errorLine)
  for (const line of [previousLine(lines, errorLine), errorLine])
    yield* lineRepairs(lines, line, MISTAKES.dashesAndColons)
  yield* openQuotes(lines, errorLine)
  yield* bracketRepairs(lines, errorLine)
  yield* lineRepairs(lines, errorLine, MISTAKES.values)
  const next = lines.findIndex((line, at) => at > errorLine && isContent(line))
  const near = next === -1 ? [errorLine] : [next, errorLine]
  for (const line of near) yield* firstOfBlock(lines, line)
  for (const line of near) yield* otherIndents(lines, line)
}

/** Changes the indentation of some lines. */
function indented(
  lines: readonly string[],
  { from, to, by }: { from: number; to: number; by: number },
): RepairCandidate {
  const [text = ''] = lines.slice(from)
  const [start, many] = [indentOf(text), Math.abs(by)]
  const spaces = many === 1 ? 'one space' : `${many} spaces`
  const whole = from === to ? 'this line' : `lines ${from + 1} to ${to + 1}`
  const key = /^\s*(?:- +)*[^\s:]*/.exec(text)?.[0] ?? ''
  return {
    problem: syntax(
      `this line is indented by ${spaces} too ${by < 0 ? 'many' : 'few'}`,
      `indent ${whole} by ${spaces} ${by < 0 ? 'less' : 'more'}`,
    ),
    line: from,
    start,
    end: key.length,
    until: to,
    lines: lines.map((each, at) => (at < from || at > to ? each : shifted(each, by))),
  }
}

/** Removes the indentation of the first lines, if a later key begins further to the left. */
function* firstLinesIndented(lines: readonly string[], errorLine: number): Generator<RepairCandidate> {
  const from = lines.findIndex((text) => isContent(text) && !/^---\s*$/.test(text))
  const indent = indentOf(lines[from] ?? '')
  if (indent === 0 || from >= errorLine) return
  const left = lines.findIndex((other, at) => at > from && isContent(other) && indentOf(other) < indent)
  if (left !== -1) yield indented(lines, { from, to: left - 1, by: -indent })
}

const BEGINS_TEXT = /^(\s*(?:- +)*)([\w-]+): +[|>][-+]?\s*$/
const KEY = /^\s*(?:- +)*[A-Za-z_][\w-]*:(?:\s|$)/

/** Indents the lines of a text that begin at the column of its key. */
function* textNotIndented(lines: readonly string[], errorLine: number): Generator<RepairCandidate> {
  const line = previousLine(lines, errorLine + 1)
  const begin = line === undefined ? undefined : previousLine(lines, line)
  const [, before, key] = BEGINS_TEXT.exec(lines[begin ?? -1] ?? '') ?? []
  const text = lines[line ?? -1] ?? ''
  if (line === undefined || before === undefined || indentOf(text) > before.length) return
  const after = lines.findIndex((other, at) => at > line && KEY.test(other) && indentOf(other) <= before.length)
  const until = after === -1 ? lines.length - 1 : after - 1
  const inside = before.length + 2
  yield {
    problem: syntax(`the text of ${key} is not indented`, `indent it by ${inside - indentOf(text)} spaces`),
    line,
    start: indentOf(text),
    end: text.trimEnd().length,
    until,
    lines: lines.map((each, at) => (at < line || at > until ? each : `${' '.repeat(inside)}${each.trimStart()}`)),
  }
}

/** Indents the first line under a key, if it begins at the column of that key and the next line is indented further. */
function* firstOfBlock(lines: readonly string[], deeper: number): Generator<RepairCandidate> {
  const from = previousLine(lines, deeper)
  const above = from === undefined ? undefined : previousLine(lines, from)
  if (from === undefined || above === undefined) return
  const [text = '', opener = ''] = [lines[from], lines[above]]
  const by = indentOf(lines[deeper] ?? '') - indentOf(text)
  if (!/:\s*(#.*)?$/.test(opener) || indentOf(text) !== keyColumn(opener) || by <= 0) return
  yield { ...indented(lines, { from, to: from, by }), until: deeper }
}

/** Moves a line to the indentation of an earlier one, alone or with the lines that follow it. */
function* otherIndents(lines: readonly string[], from: number): Generator<RepairCandidate> {
  const indent = indentOf(lines[from] ?? '')
  const ends = [blockEnd(lines, from, indent + 1), blockEnd(lines, from, indent), from]
  for (const column of likelyColumns(lines, from, indent)) {
    for (const to of new Set(ends)) yield indented(lines, { from, to, by: column - indent })
  }
}

/** Where keys of earlier lines begin, the nearest first. */
function likelyColumns(lines: readonly string[], line: number, indent: number): number[] {
  const earlier = lines
    .slice(Math.max(0, line - MAX_LINES), line)
    .filter(isContent)
    .toReversed()
  const columns = new Set(earlier.flatMap((text) => [keyColumn(text), indentOf(text)]))
  columns.delete(indent)
  return [...columns].sort((a, b) => Math.abs(a - indent) - Math.abs(b - indent)).slice(0, MAX_COLUMNS)
}

const MAX_COLUMNS = 4

/** The column of a line's key, after the dashes of a list. */
function keyColumn(line: string): number {
  return /^\s*(?:- +)*/.exec(line)?.[0].length ?? 0
}
