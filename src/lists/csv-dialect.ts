/** How a CSV file is written. */
export interface CsvDialect {
  readonly delimiter: string
  readonly quote: string
  readonly escapeMark: string
  /** The fields of its first record. */
  readonly first: readonly string[]
  /** The blank lines before that record. */
  readonly before: number
  /** The lines of that record. */
  readonly lines: number
}

type Marks = Pick<CsvDialect, 'delimiter' | 'quote' | 'escapeMark'>

const DELIMITERS = [',', ';', '\t', '|']
/** The records that show how the others are written. */
const SAMPLE = 50
/** The share of the sample that has as many fields as the first record. */
const ENOUGH = 0.5
/** More fields than any record has, so that the share weighs more than their number. */
const MAX_FIELDS = 10_000

/** Reads from the beginning of a file how the file is written. */
export function csvDialect(text: string): CsvDialect {
  const quote = quoteOf(text)
  const escapeMarks = text.includes(`\\${quote}`) ? [quote, '\\'] : [quote]
  const before = /^(?:[^\S\r\n]*(?:\r\n|\n|\r))*/.exec(text)?.[0] ?? ''
  const content = text.slice(before.length)
  const candidates = escapeMarks.flatMap((escapeMark) =>
    [...DELIMITERS, NO_DELIMITER].map((delimiter) => ({ delimiter, quote, escapeMark })),
  )
  const [marks = { delimiter: NO_DELIMITER, quote, escapeMark: quote }] = candidates
    .map((candidate) => ({ candidate, score: scoreOf(content, candidate) }))
    .sort((a, b) => b.score - a.score)
    .map(({ candidate }) => candidate)
  const [first] = recordsOf(content, marks)
  return {
    ...marks,
    // A header can have other quotes than the rows below it.
    first: first?.fields.map((field) => (quote === "'" ? field.replace(/^"(.*)"$/s, '$1') : field)) ?? [],
    before: linesIn(before),
    lines: Math.max(1, linesIn(first?.text ?? '')),
  }
}

/** A file with one column has none; this is not a character. */
const NO_DELIMITER = '\u{10FFFF}'

/** The more records have whole fields, as many as the first one has, the likelier are the marks. */
function scoreOf(text: string, marks: Marks): number {
  const records = recordsOf(text, marks)
  const count = records[0]?.fields.length ?? 0
  const alike =
    records.filter(({ fields, isClean }) => isClean && fields.length === count).length / Math.max(1, records.length)
  // Without a delimiter all records are alike.
  return count > 1 && alike < ENOUGH ? 0 : (count > 1 ? MAX_FIELDS : 0) + alike * MAX_FIELDS + count
}

/**
 * Single quotes where at least half of the records below the first one have a field in them, and none has one in double
 * quotes; or where the file has no double quotes and begins with a single one.
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
  /** Nothing stands between a closing quote and the delimiter. */
  readonly isClean: boolean
}

/** The first records, with their line ends, without blank lines. */
function recordsOf(text: string, marks: Marks): CsvRecord[] {
  const records: CsvRecord[] = []
  let at = 0
  while (at < text.length && records.length < SAMPLE) {
    const start = at
    const fields: string[] = []
    let isClean = true
    for (;;) {
      const field = fieldAt(text, at, marks)
      fields.push(field.value)
      isClean &&= !field.isDirty
      at = field.end
      if (!text.startsWith(marks.delimiter, at)) break
      at += marks.delimiter.length
    }
    at += text.startsWith('\r\n', at) ? 2 : 1
    if (fields.length > 1 || fields[0]?.trim() !== '') records.push({ fields, text: text.slice(start, at), isClean })
  }
  return records
}

/** The field at a place of a text; `isOpen`: its quotes do not end. */
export function fieldAt(text: string, start: number, { delimiter, quote, escapeMark }: Marks) {
  let at = start
  let value = ''
  let isOpen = false
  if (text[at] === quote) {
    for (at += 1; at < text.length; at += 1) {
      if (text[at] === escapeMark && text[at + 1] === quote) at += 1
      else if (text[at] === quote) break
      value += text[at]
    }
    isOpen = at >= text.length
    at += 1
  }
  const closedAt = at
  while (at < text.length && !text.startsWith(delimiter, at) && text[at] !== '\n' && text[at] !== '\r') {
    value += text[at]
    at += 1
  }
  return { value, end: at, isOpen, isDirty: text[start] === quote && at > closedAt }
}
