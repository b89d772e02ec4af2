import { bracketRepairs, missingComma } from './bracket-repairs.ts'
import { openQuotes, valueInQuotes } from './quote-repairs.ts'
import { type Candidate, isContent, MAX_LINES, previousLine, type Repair, syntax } from './repair.ts'

/** The line of the first syntax error, from 0; undefined if there is none, `gaveUp` if no more texts may be parsed. */
export type FirstError = (text: string) => number | undefined | 'gaveUp'

/**
 * Finds the smallest change near a syntax error after which the text parses up to a later line: another indentation, a
 * colon, a space after it, quotes, a bracket or a comma. The parser itself says where it stopped, which is seldom what is
 * wrong.
 */
export function likelyRepair(lines: readonly string[], errorLine: number, firstError: FirstError): Repair | undefined {
  // What is looked for in a line takes its length squared.
  const around = lines.slice(Math.max(0, errorLine - MAX_LINES), errorLine + MAX_LINES)
  if (around.some((line) => line.length > MAX_LENGTH)) return undefined
  for (const { until, ...repair } of candidates(lines, errorLine)) {
    const next = firstError(repair.lines.join('\n'))
    if (next === 'gaveUp') return undefined
    if (next === undefined || next > Math.max(until, errorLine)) return repair
  }
  return undefined
}

function* candidates(lines: readonly string[], errorLine: number): Generator<Candidate> {
  yield* firstLinesIndented(lines, errorLine)
  yield* textNotIndented(lines, errorLine)
  const near = [nextLine(lines, errorLine), errorLine].filter((line) => line !== undefined)
  for (const line of near) yield* otherDash(lines, line)
  for (const line of near) yield* missingColon(lines, line)
  yield* openQuotes(lines, errorLine)
  yield* bracketRepairs(lines, errorLine)
  yield* missingComma(lines, errorLine)
  yield* valueInQuotes(lines, errorLine)
  for (const line of near) yield* firstOfBlock(lines, line)
  for (const line of near) yield* otherIndents(lines, line)
}

const KEY_WITHOUT_SPACE = /^(\s*(?:- +)?)([A-Za-z_]\w*):(?=[^\s:/])/
const KEY_WITHOUT_COLON = /^(\s*(?:- +)?)([A-Za-z_]\w*)(?: +(?=[^\s:#])|\s*$)/

function* missingColon(lines: readonly string[], line: number): Generator<Candidate> {
  const text = lines[line] ?? ''
  for (const [pattern, hint] of [
    [KEY_WITHOUT_SPACE, 'write a space after the colon'],
    [KEY_WITHOUT_COLON, 'write a colon after the key'],
  ] as const) {
    const [whole, before = '', key = ''] = pattern.exec(text) ?? []
    if (whole === undefined) continue
    const written = `${key}: ${text.slice(whole.length)}`.trimEnd()
    yield {
      problem: syntax(`${text.trim().replace(/^- +/, '')} is not a key and its value`, `${hint}: ${written}`),
      ...{ line, start: before.length, end: text.trimEnd().length, until: line },
      lines: lines.with(line, before + written),
    }
  }
}

/** The first lines, if a later key begins further to the left. */
function* firstLinesIndented(lines: readonly string[], errorLine: number): Generator<Candidate> {
  const line = lines.findIndex((text) => isContent(text) && !/^---\s*$/.test(text))
  const text = lines[line] ?? ''
  const indent = indentOf(text)
  if (indent === 0 || line >= errorLine) return
  const left = lines.findIndex((other, at) => at > line && isContent(other) && indentOf(other) < indent)
  if (left === -1) return
  const which = left === line + 1 ? 'this line' : `lines ${line + 1} to ${left}`
  yield {
    problem: indentProblem(indent, 'many', which),
    ...{ line, start: indent, end: keyEnd(text), until: left - 1 },
    lines: lines.map((each, at) => (at < line || at >= left ? each : shifted(each, -indent))),
  }
}

const BEGINS_TEXT = /^(\s*(?:- +)*)([\w-]+): +[|>][-+]?\s*$/

/** The lines of a text that stand at the column of its key. */
function* textNotIndented(lines: readonly string[], errorLine: number): Generator<Candidate> {
  const above = previousLine(lines, errorLine + 1)
  for (const begin of [above, above === undefined ? undefined : previousLine(lines, above)]) {
    const [, before, key] = BEGINS_TEXT.exec(begin === undefined ? '' : (lines[begin] ?? '')) ?? []
    const line = begin === undefined ? undefined : nextLine(lines, begin)
    if (before === undefined || line === undefined || indentOf(lines[line] ?? '') > before.length) continue
    const after = lines.findIndex((text, at) => at > line && KEY.test(text) && indentOf(text) <= before.length)
    const end = after === -1 ? lines.length - 1 : after - 1
    yield {
      problem: syntax(
        `the text of ${key} is not indented`,
        `indent it by ${2 + before.length - indentOf(lines[line] ?? '')} spaces`,
      ),
      ...{ line, start: indentOf(lines[line] ?? ''), end: (lines[line] ?? '').trimEnd().length, until: end },
      lines: lines.map((each, at) =>
        at < line || at > end ? each : `${' '.repeat(before.length + 2)}${each.trimStart()}`,
      ),
    }
  }
}

const KEY = /^\s*(?:- +)*[A-Za-z_][\w-]*:(?:\s|$)/

const DASH_WITHOUT_SPACE = /^(\s*)(-)(?=[A-Za-z_]\w*:(?:\s|$))/
const TYPOGRAPHIC_DASH = /^(\s*)([–—−•])\s*(?=[A-Za-z_]\w*:(?:\s|$))/

/** The line above, or this one, with a dash that begins an item of a list. */
function* otherDash(lines: readonly string[], errorLine: number): Generator<Candidate> {
  for (const line of [previousLine(lines, errorLine), errorLine]) {
    const text = line === undefined ? '' : (lines[line] ?? '')
    for (const [pattern, message] of [
      [DASH_WITHOUT_SPACE, 'there is no space after the dash'],
      [TYPOGRAPHIC_DASH, 'a list is written with the short dash -'],
    ] as const) {
      const [whole, indent = '', dash = ''] = pattern.exec(text) ?? []
      if (line === undefined || whole === undefined) continue
      const item = `- ${text.slice(whole.length)}`
      const end = blockEnd(lines, line, (other) => other > indent.length)
      // What stands under the key moves with it.
      const by = end > line && indentOf(lines[line + 1] ?? '') === indent.length + 1 ? 1 : 0
      yield {
        problem: syntax(message, `write ${item.trimEnd()}`),
        ...{ line, start: indent.length, end: indent.length + dash.length, until: end },
        lines: lines.map((each, at) => (at <= line || at > end ? each : shifted(each, by))).with(line, indent + item),
      }
    }
  }
}

/** The first line under a key, if it stands at the column of that key and the next one deeper. */
function* firstOfBlock(lines: readonly string[], deeper: number): Generator<Candidate> {
  const line = previousLine(lines, deeper)
  const above = line === undefined ? undefined : previousLine(lines, line)
  if (line === undefined || above === undefined) return
  const [text = '', opener = ''] = [lines[line], lines[above]]
  const many = indentOf(lines[deeper] ?? '') - indentOf(text)
  if (!OPENS.test(opener) || indentOf(text) !== keyColumn(opener) || many <= 0) return
  yield {
    problem: indentProblem(many, 'few', 'this line'),
    ...{ line, start: indentOf(text), end: keyEnd(text), until: deeper },
    lines: lines.with(line, shifted(text, many)),
  }
}

function indentProblem(many: number, too: 'many' | 'few', which: string): Repair['problem'] {
  const spaces = many === 1 ? 'one space' : `${many} spaces`
  const hint = `indent ${which} by ${spaces} ${too === 'many' ? 'less' : 'more'}`
  return syntax(`this line is indented by ${spaces} too ${too}`, hint)
}

const OPENS = /:\s*(#.*)?$/

/** The line at the indentation of an earlier one, alone or with the lines that follow it. */
function* otherIndents(lines: readonly string[], line: number): Generator<Candidate> {
  const text = lines[line] ?? ''
  const indent = indentOf(text)
  const above = previousLine(lines, line)
  if (above === undefined) return
  const columns = likelyColumns(lines, line, above)
  // A key with a value beside it has nothing under it.
  const children = HAS_VALUE.test(text) ? line : blockEnd(lines, line, (other) => other > indent)
  const siblings = blockEnd(lines, line, (other) => other >= indent)
  for (const column of columns) {
    for (const end of new Set([children, siblings, line])) {
      const which = end === line ? 'this line' : `lines ${line + 1} to ${end + 1}`
      yield {
        problem: indentProblem(Math.abs(column - indent), column < indent ? 'many' : 'few', which),
        ...{ line, start: indent, end: keyEnd(text), until: end },
        lines: lines.map((each, at) => (at < line || at > end ? each : shifted(each, column - indent))),
      }
    }
  }
}

const HAS_VALUE = /^\s*[^\s:-]+:\s+[^\s#|>&]/

/** Where keys of earlier lines begin, the most likely first. */
function likelyColumns(lines: readonly string[], line: number, above: number): number[] {
  const indent = indentOf(lines[line] ?? '')
  const aboveText = lines[above] ?? ''
  const columns = new Set(columnsOf(aboveText))
  for (let at = above; at >= Math.max(0, above - MAX_LINES); at--) {
    for (const column of columnsOf(lines[at] ?? '')) columns.add(column)
  }
  const distance = (column: number) => Math.abs(column - indent)
  const nearest = [...columns].filter((column) => column !== indent).sort((a, b) => distance(a) - distance(b))
  const opens = OPENS.test(aboveText)
  const inside = keyColumn(aboveText) + 2
  return [...new Set(opens && inside !== indent ? [inside, ...nearest] : nearest)].slice(0, MAX_COLUMNS)
}

const MAX_COLUMNS = 4
const MAX_LENGTH = 1000

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** The column of a line's key, after the dashes of a list. */
function keyColumn(line: string): number {
  return /^\s*(?:- +)*/.exec(line)?.[0].length ?? 0
}

function columnsOf(line: string): number[] {
  return isContent(line) ? [keyColumn(line), indentOf(line)] : []
}

function keyEnd(line: string): number {
  return keyColumn(line) + (/^[^\s:]+/.exec(line.slice(keyColumn(line)))?.[0].length ?? 0)
}

function nextLine(lines: readonly string[], from: number): number | undefined {
  const found = lines.findIndex((line, at) => at > from && isContent(line))
  return found === -1 ? undefined : found
}

/** The last of the lines after `line` whose indentation `belongs`. */
function blockEnd(lines: readonly string[], line: number, belongs: (indent: number) => boolean): number {
  let end = line
  for (let at = line + 1; at < lines.length; at++) {
    const text = lines[at] ?? ''
    if (!isContent(text)) continue
    if (!belongs(indentOf(text))) break
    end = at
  }
  return end
}

function shifted(line: string, by: number): string {
  if (!isContent(line)) return line
  return by > 0 ? `${' '.repeat(by)}${line}` : line.slice(-by)
}
