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
/** More than any file has; so the share counts first. */
const MAX_FIELDS = 10_000

/** Reads from the beginning of a file how the file is written. */
export function csvDialect(text: string): CsvDialect {
  const quote = quoteOf(text)
  const escapeMark = quote === '"' && text.includes('\\"') && !/""[^"]*"/.test(text) ? '\\' : quote
  const before = /^(?:[^\S\r\n]*(?:\r\n|\n|\r))*/.exec(text)?.[0] ?? ''
  const content = text.slice(before.length)
  const [best] = DELIMITERS.map((delimiter) => scored(content, { delimiter, quote, escapeMark })).sort(
    (a, b) => b.score - a.score,
  )
  const marks = best && best.score > 0 ? best.marks : { delimiter: NO_DELIMITER, quote, escapeMark }
  const [first] = recordsOf(content, marks)
  return {
    ...marks,
    first: first?.fields ?? [],
    before: linesIn(before),
    lines: Math.max(1, linesIn(first?.text ?? '')),
  }
}

/** A file with one column has none; this is not a character. */
const NO_DELIMITER = '\u{10FFFF}'

/** The more records have as many fields as the first one, the likelier is the delimiter. */
function scored(text: string, marks: Marks): { readonly marks: Marks; readonly score: number } {
  const records = recordsOf(text, marks)
  const count = records[0]?.fields.length ?? 0
  const alike = records.filter(({ fields }) => fields.length === count).length / Math.max(1, records.length)
  return { marks, score: count > 1 && alike >= ENOUGH ? alike * MAX_FIELDS + count : 0 }
}

/** Single quotes only where the file has no double ones and begins with one. */
function quoteOf(text: string): string {
  return !text.includes('"') && /^\s*'[^'\r\n]*'/.test(text) ? "'" : '"'
}

function linesIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}

/** The first records, with their line ends, without blank lines. */
function recordsOf(text: string, marks: Marks): { readonly fields: string[]; readonly text: string }[] {
  const records: { fields: string[]; text: string }[] = []
  let at = 0
  while (at < text.length && records.length < SAMPLE) {
    const start = at
    const fields: string[] = []
    for (;;) {
      const field = fieldAt(text, at, marks)
      fields.push(field.value)
      at = field.end
      if (!text.startsWith(marks.delimiter, at)) break
      at += marks.delimiter.length
    }
    at += text.startsWith('\r\n', at) ? 2 : 1
    if (fields.length > 1 || fields[0]?.trim() !== '') records.push({ fields, text: text.slice(start, at) })
  }
  return records
}

function fieldAt(text: string, start: number, { delimiter, quote, escapeMark }: Marks) {
  let at = start
  let value = ''
  if (text[at] === quote) {
    for (at += 1; at < text.length; at += 1) {
      if (text[at] === escapeMark && text[at + 1] === quote) at += 1
      else if (text[at] === quote) break
      value += text[at]
    }
    at += 1
  }
  while (at < text.length && !text.startsWith(delimiter, at) && text[at] !== '\n' && text[at] !== '\r') {
    value += text[at]
    at += 1
  }
  return { value, end: at }
}
