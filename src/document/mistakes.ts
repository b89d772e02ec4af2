import type { Problem } from './diagnostic-collector.ts'

/** A change to a text that lets the parser get further, and the problem, described in terms of that change. */
export interface Repair {
  readonly problem: Problem
  /** The line with the problem, from 0, and the part of it to show. */
  readonly line: number
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** A change that may be a repair. `until`: the last line that it concerns. */
export type RepairCandidate = Repair & { readonly until: number }

/** A mistake in one line. */
interface Mistake {
  /** The first group is the text before the mistake, the second is the mistake. The text after them is dropped, too. */
  readonly pattern: RegExp
  /**
   * Decides whether it is the mistake, if the pattern alone cannot. A pattern that could decide it would take time that
   * grows faster than the square of the length.
   */
  readonly is?: (wrong: string) => boolean
  readonly problem: (wrong: string, found: RegExpExecArray) => string
  /** The intended text. */
  readonly written: (wrong: string) => string
  /** Whether the lines under the key move with it. Then the whole line is shown. */
  readonly movesBlock?: true
  /** What to do, if writing the intended text is not enough. */
  readonly hint?: (written: string, found: RegExpExecArray) => string
}

const notAKey = (wrong: string) => `${wrong} is not a key with a value`
const isSign = (wrong: string) =>
  `without quotes, the ${wrong.charAt(0)} at the beginning has a special meaning in YAML`

const DASHES: readonly Mistake[] = [
  {
    pattern: /^(\s*)(-)(?=[A-Za-z_]\w*:(?:\s|$))/g,
    problem: () => 'there is no space after the dash',
    written: () => '- ',
    movesBlock: true,
  },
  {
    pattern: /^(\s*)([–—−•])\s*(?=[A-Za-z_]\w*:(?:\s|$))/g,
    problem: () => 'a list is written with the short dash -',
    written: () => '- ',
    movesBlock: true,
  },
]

const COLONS: readonly Mistake[] = [
  {
    pattern: /^(\s*(?:- +)?)([A-Za-z_]\w*:(?=[^\s:/]).*?)\s*$/g,
    problem: notAKey,
    written: (wrong) => wrong.replace(':', ': '),
    hint: (written) => `write a space after the colon: ${written}`,
  },
  {
    pattern: /^(\s*(?:- +)?)([A-Za-z_]\w*(?: +[^\s:#].*?)?)\s*$/g,
    problem: notAKey,
    written: (wrong) => wrong.replace(/^\w+ */, (key) => `${key.trim()}: `).trimEnd(),
    hint: (written) => `write a colon after the key: ${written}`,
  },
]

const COMMAS: readonly Mistake[] = [
  {
    pattern: /([{,] *[\w-]+: +)([^\s,{}[\]]+) +(?=([\w-]+): )/g,
    problem: (_, { 3: key }) => `there is no comma before ${key}`,
    written: (wrong) => `${wrong.replace(/;$/, '')}, `,
    hint: (written, { 3: key }) => `write ${written}${key}: …`,
  },
]

const PLAIN_VALUE = /^(\s*(?:- +)*[\w-]+: +)([^\s"'[{#|>][^#]*?)\s*(?:#.*)?$/g
const beginsWithSign = (wrong: string) => /^[*&!%@`]/.test(wrong)

const QUOTES: readonly Mistake[] = [
  {
    pattern: /^(\s*(?:- +)*(?:[\w-]+: +)?)((["']).*\3)\s*(?:#.*)?$/g,
    is: (wrong) => wrong.slice(1, -1).includes(wrong.charAt(0)),
    problem: (wrong) => `the text ends early, at the ${wrong.charAt(0)} inside it`,
    written: (wrong) => quoted(wrong.slice(1, -1)),
  },
  { pattern: PLAIN_VALUE, is: beginsWithSign, problem: isSign, written: quoted },
  {
    pattern: PLAIN_VALUE,
    is: (wrong) => !beginsWithSign(wrong) && /:(\s|$)/.test(wrong),
    problem: () => 'without quotes, the colon in the text makes it a key and its value',
    written: quoted,
  },
  { pattern: /([{,] *[\w-]+: +)([*&!%@`][^,}\]]*?)(?=\s*[,}\]])/g, problem: isSign, written: quoted },
]

export const MISTAKES = { dashesAndColons: [...DASHES, ...COLONS], values: [...COMMAS, ...QUOTES] }

export function* lineRepairs(
  lines: readonly string[],
  line: number | undefined,
  mistakes: readonly Mistake[],
): Generator<RepairCandidate> {
  const text = lines[line ?? -1]
  if (line === undefined || text === undefined) return
  for (const mistake of mistakes) {
    for (const found of text.matchAll(mistake.pattern)) {
      const [whole, before = '', wrong = ''] = found
      if (mistake.is?.(wrong) === false) continue
      const start = found.index + before.length
      const written = mistake.written(wrong)
      const right = text.slice(0, start) + written + text.slice(found.index + whole.length)
      const until = mistake.movesBlock ? blockEnd(lines, line, before.length + 1) : line
      const by = until > line && indentOf(lines[line + 1] ?? '') === before.length + 1 ? 1 : 0
      const hint = mistake.hint?.(written, found) ?? `write ${mistake.movesBlock ? right.trim() : written}`
      yield {
        problem: syntax(mistake.problem(wrong, found), hint),
        line,
        start,
        end: start + wrong.length,
        until,
        lines: lines.map((each, at) => (at <= line || at > until ? each : shifted(each, by))).with(line, right),
      }
    }
  }
}

/** The text in double quotes, or in single quotes if double quotes would need escapes in it. */
export function quoted(text: string): string {
  return /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`
}

/** The problem for a text that is not valid YAML, and how to repair it. */
export function syntax(message: string, hint: string): Problem {
  return { code: 'yaml-syntax', message, hint }
}

/** Whether a line has more than a comment. */
export function isContent(line: string): boolean {
  return /^\s*[^\s#]/.test(line)
}

export function previousLine(lines: readonly string[], from: number): number | undefined {
  const found = lines.findLastIndex((line, at) => at < from && isContent(line))
  return found === -1 ? undefined : found
}

/** The last of the following lines that are indented at least this much. */
export function blockEnd(lines: readonly string[], line: number, indent: number): number {
  const after = lines.findIndex((text, at) => at > line && isContent(text) && indentOf(text) < indent)
  return previousLine(lines, after === -1 ? lines.length : after) ?? line
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

export function shifted(line: string, by: number): string {
  if (!isContent(line)) return line
  return by > 0 ? `${' '.repeat(by)}${line}` : line.slice(-by)
}
