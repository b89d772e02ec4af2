/** How the text of a CSV file is structured. */
export interface CsvDialect {
  readonly delimiter: string
  readonly quote: string
  readonly escapeMark: string
  /** The fields of its first record. */
  readonly first: readonly string[]
  /** How many lines precede that record: blank ones and Excel's `sep=;`. */
  readonly before: number
  /** How many lines that record has. */
  readonly lines: number
  /** What is still open at the end of the text: a quote of the first record, or its last line. */
  readonly open: 'quote' | 'line' | undefined
}

export type Marks = Pick<CsvDialect, 'delimiter' | 'quote' | 'escapeMark'>

/** The delimiters that a document can name; `none`: each line is one field. */
export const DELIMITERS = ['none', ',', ';', '|', 'tab'] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** The delimiter of a file with one column, which has none. U+10FFFF is not a character. */
const NO_DELIMITER = '\u{10FFFF}'
/** How many records are examined to detect how the file is written. */
const SAMPLE = 50
/** The minimum share of the sample that must have as many fields as the first record. */
const ENOUGH = 0.5
/**
 * More than the number of fields of any record, so that in a score the share of alike records outweighs the number of
 * fields.
 */
const MAX_FIELDS = 10_000

/** Detects from the beginning of a CSV file how it is written. Guesses the delimiter if none is given. */
export function csvDialect(text: string, given?: Delimiter): CsvDialect {
  const quote = quoteOf(text)
  const escapeMarks = text.includes(`\\${quote}`) ? [quote, '\\'] : [quote]
  const [before = '', named] = BEFORE.exec(text) ?? []
  const content = text.slice(before.length)
  const delimiters = given === undefined ? (named ?? GUESSED) : [signOf(given)]
  const candidates = escapeMarks.flatMap((escapeMark) =>
    [...delimiters].map((delimiter) => ({ delimiter, quote, escapeMark })),
  )
  const [marks = { delimiter: NO_DELIMITER, quote, escapeMark: quote }] = candidates
    .map((candidate) => ({ candidate, score: scoreOf(content, candidate) }))
    .sort((a, b) => b.score - a.score)
    .map(({ candidate }) => candidate)
  const [first] = recordsOf(content, marks)
  return {
    ...marks,
    // A header can have different quotes from the rows below it.
    first: first?.fields.map((field) => (quote === "'" ? field.replace(/^"(.*)"$/s, '$1') : field)) ?? [],
    before: linesIn(before),
    lines: Math.max(1, linesIn(first?.text ?? '')),
    open: first?.fields.length === 1 ? openFirst(content, candidates) : first?.open,
  }
}

/** If a quote does not end, no delimiter fits, and the row looks like one field. */
function openFirst(text: string, candidates: readonly Marks[]): CsvDialect['open'] {
  const open = candidates.map((candidate) => recordsOf(text, candidate)[0]?.open)
  return open.includes('quote') ? 'quote' : open.at(-1)
}

const BLANK_LINES = String.raw`(?:[^\S\r\n]*(?:\r\n|\n|\r))*`
const BEFORE = new RegExp(`^${BLANK_LINES}(?:"?sep=([,;|\t])"?[,;|\t ]*(?:\r\n|\n|\r|$)${BLANK_LINES})?`, 'i')
const GUESSED = [',', ';', '\t', '|', NO_DELIMITER]

function signOf(given: Delimiter): string {
  if (given === 'none') return NO_DELIMITER
  return given === 'tab' ? '\t' : given
}

/**
 * The score of a delimiter and its quotes. It is higher if more records have only complete fields, and as many fields
 * as the first record.
 */
function scoreOf(text: string, marks: Marks): number {
  const records = recordsOf(text, marks)
  const count = records[0]?.fields.length ?? 0
  const alike =
    records.filter(({ fields, isClean }) => isClean && fields.length === count).length / Math.max(1, records.length)
  // Without a delimiter all records are alike.
  return count > 1 && alike < ENOUGH ? 0 : (count > 1 ? MAX_FIELDS : 0) + alike * MAX_FIELDS + count
}

/**
 * Single quotes if at least half of the records below the first one have a field in single quotes and no record has a
 * field in double quotes, or if the file has no double quotes and begins with a single quote.
 */
function quoteOf(text: string): string {
  if (!text.includes('"') && /^\s*'[^'\r\n]*'/.test(text)) return "'"
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  const records = lines.slice(1, SAMPLE)
  const single = records.filter((line) => SINGLE_QUOTED.test(line)).length
  return single > 0 && single >= records.length / 2 && !records.some((line) => DOUBLE_QUOTED.test(line)) ? "'" : '"'
}

const SINGLE_QUOTED = /(?:^|[,;\t|])'(?:[^'\\]|''|\\.)*'(?:$|[,;\t|])/
const DOUBLE_QUOTED = /(?:^|[,;\t|])"(?:[^"\\]|""|\\.)*"(?:$|[,;\t|])/

function linesIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}

interface CsvRecord {
  readonly fields: readonly string[]
  readonly text: string
  /** Whether the delimiter directly follows each closing quote. */
  readonly isClean: boolean
  readonly open: CsvDialect['open']
}

/**
 * The first records, with their line endings, without blank lines. A line that leaves a quote open counts as a record.
 */
function recordsOf(text: string, marks: Marks): CsvRecord[] {
  const records: CsvRecord[] = []
  for (let at = 0; at < text.length && records.length < SAMPLE; ) {
    const { state, at: reached } = readRecord(text, marks, { state: 'field', at })
    const isClean = state === 'closed'
    const end = isClean ? reached : lineEnd(text, at)
    const fields = recordFields(text.slice(at, end), marks)
    const next = end + (text.startsWith('\r\n', end) ? 2 : 1)
    const open = state === 'quoted' ? 'quote' : end === text.length ? 'line' : undefined
    if (fields.length > 1 || fields[0]?.trim() !== '')
      records.push({ fields, text: text.slice(at, next), isClean, open })
    at = next
  }
  return records
}

function lineEnd(text: string, from: number): number {
  LINE_END.lastIndex = from
  return LINE_END.exec(text)?.index ?? text.length
}

const LINE_END = /[\r\n]/g

/**
 * How far a record was read: to its end; to the start of a field; into a field in quotes that do not end in this text;
 * or to a quote that does not end its field.
 */
export interface RecordPlace {
  readonly state: 'closed' | 'field' | 'quoted' | 'broken'
  readonly at: number
}

/** Continues reading a record from a position. If it stops within quotes, it can continue when the text has grown. */
export function readRecord(text: string, { delimiter, quote, escapeMark }: Marks, from: RecordPlace): RecordPlace {
  let { state, at } = from
  for (let isFirst = true; ; isFirst = false) {
    if (state === 'field') {
      // As in DuckDB, blanks before quotes belong to the quotes, except at the beginning of a line.
      let start = at
      while (!isFirst && text[start] === ' ') start += 1
      if (text[start] === quote) {
        state = 'quoted'
        at = start + 1
      }
    }
    if (state === 'quoted') {
      const close = closingQuote(text, at, { quote, escapeMark })
      if (close < 0) return { state: 'quoted', at: text.length }
      at = close + 1
      while (text[at] === ' ') at += 1
      if (!isEnd(text, at) && !text.startsWith(delimiter, at)) return { state: 'broken', at }
    }
    while (!isEnd(text, at) && !text.startsWith(delimiter, at)) at += 1
    if (isEnd(text, at)) return { state: 'closed', at }
    at += delimiter.length
    state = 'field'
  }
}

function isEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === '\n' || text[at] === '\r'
}

/** The position of the quote that ends a field; -1 if there is none. */
function closingQuote(text: string, from: number, { quote, escapeMark }: Omit<Marks, 'delimiter'>): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === escapeMark && (escapeMark !== quote || text[at + 1] === quote)) at += 1
    else if (text[at] === quote) return at
  }
  return -1
}

/** The fields of one record, without their quotes. */
export function recordFields(record: string, marks: Marks): string[] {
  const fields: string[] = []
  for (let at = 0; ; at += marks.delimiter.length) {
    const field = fieldAt(record, at, marks)
    fields.push(field.value)
    at = field.end
    if (!record.startsWith(marks.delimiter, at)) return fields
  }
}

function fieldAt(text: string, start: number, marks: Marks): { readonly value: string; readonly end: number } {
  const { delimiter, quote, escapeMark } = marks
  let at = start
  while (start > 0 && text[at] === ' ') at += 1
  const close = text[at] === quote ? closingQuote(text, at + 1, marks) : -1
  const whole = close < 0 ? '' : text.slice(at + 1, close).replaceAll(`${escapeMark}${quote}`, quote)
  const rest = close < 0 ? start : close + 1
  const found = text.indexOf(delimiter, rest)
  const end = found < 0 ? text.length : found
  return { value: close < 0 ? text.slice(start, end) : whole + text.slice(rest, end).trimEnd(), end }
}
