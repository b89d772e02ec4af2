import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ASCII_WHITE_SPACE, trimmedText } from '../contract/visible-text.ts'
import { withoutEnds } from '../core/without-ends.ts'
import { type CsvDialect, type RecordPlace, readRecord, recordFields } from './csv-dialect.ts'

/** How to find the keys in the rows of a file. */
export interface RowKeys {
  /** Whether the first record names the columns. */
  readonly hasHeader: boolean
  /** The fields of a record that hold the keys of the file: one field, or all fields if the column is not known. */
  readonly keyFields: (fields: readonly string[]) => readonly string[]
  /** Whether a field is a key, a damaged key, or blank as in a row without a key. */
  readonly isLikeKey: (field: string) => boolean
}

/** The maximum size of a record in bytes, also for DuckDB. */
export const MAX_RECORD = 2_000_000
/** Above DuckDB's line limit, so that DuckDB rejects every line that was cut. */
const MAX_KEPT = 1 << 22
const CHUNK = 1 << 16
/** One or more byte order marks, as latin1. */
const MARK = /^(?:\xef\xbb\xbf)+/

/**
 * Copies a CSV file without its header and without lines that are not whole records, with one kind of line ending.
 * Returns how many lines were left out. An open or broken quote spoils only its own line. A record of several lines is
 * left out, with all its lines, if they hold the keys of more than one row: a lost quote has then joined the rows of
 * several people.
 */
export async function copyRecords(
  from: string,
  to: string,
  { dialect, keys, signal }: { dialect: CsvDialect; keys: RowKeys; signal: AbortSignal },
): Promise<number> {
  let left = 0
  async function* whole() {
    const records = new Records(dialect, keys)
    let chunk = ''
    // The text is latin1, so bytes that are not UTF-8 stay as they are.
    for await (const lines of linesOfFile(from, signal)) {
      for (const line of lines) chunk += records.add(line)
      if (chunk.length < CHUNK) continue
      yield Buffer.from(chunk, 'latin1')
      chunk = ''
    }
    yield Buffer.from(chunk + records.end(), 'latin1')
    left = records.left
  }
  await pipeline(Readable.from(whole()), createWriteStream(to, { mode: 0o600 }), { signal })
  return left
}

/**
 * The lines of a file, as latin1 and without their line endings. A line longer than any record is cut, because DuckDB
 * and this module reject it anyway, and a file can be one line of gigabytes.
 */
export async function* linesOfFile(path: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  let rest = ''
  for await (const chunk of createReadStream(path, { signal, encoding: 'latin1', highWaterMark: CHUNK })) {
    // A carriage return at the very end may be the first half of a line ending.
    const [end = '', ...lines] = `${rest.endsWith('\r') ? '\r' : ''}${chunk}`.split(/\r\n|\n|\r(?!$)/)
    const begun = rest.endsWith('\r') ? rest.slice(0, -1) : rest
    rest = begun + (begun.length <= MAX_KEPT ? end : end.endsWith('\r') ? '\r' : '')
    if (lines.length === 0) continue
    const last = lines.pop() ?? ''
    yield [rest, ...lines]
    rest = last
  }
  if (rest !== '') yield [rest.replace(/\r$/, '')]
}

/** Joins lines into records. */
class Records {
  readonly #dialect: CsvDialect
  readonly #keys: RowKeys
  /** The lines before the first row. */
  #leading: number
  /** The lines of a record whose quotes are still open. */
  #lines: string[] = []
  /** How many characters these lines have. */
  #length = 0
  /** How many lines were left out. */
  left = 0

  constructor(dialect: CsvDialect, keys: RowKeys) {
    this.#dialect = dialect
    this.#keys = keys
    this.#leading = dialect.before + (keys.hasHeader ? dialect.lines : 0)
  }

  /** Adds a line; returns the records that it completes, with their line endings. */
  add(line: string): string {
    if (this.#leading > 0) {
      this.#leading -= 1
      return ''
    }
    return this.#lines.length === 0 ? this.#begin(line.replace(MARK, '')) : this.#read(line, { state: 'quoted', at: 0 })
  }

  /** Returns the records in the lines that are still open. */
  end(): string {
    let records = ''
    while (this.#lines.length > 0) records += this.#giveUp()
    return records
  }

  #begin(line: string): string {
    if (!line.includes(this.#dialect.quote)) return `${line}\n`
    this.#length = 0
    return this.#read(line, { state: 'field', at: 0 })
  }

  /**
   * Reads the next line of a record without rereading earlier ones, because a record can have as many lines as
   * characters.
   */
  #read(line: string, from: RecordPlace): string {
    this.#lines.push(line)
    this.#length += line.length + 1
    if (this.#length > MAX_RECORD) return this.#giveUp()
    if (from.state === 'quoted' && !line.includes(this.#dialect.quote)) return ''
    const { state } = readRecord(line, this.#dialect, from)
    if (state === 'broken') return this.#giveUp()
    if (state === 'quoted') return ''
    const lines = this.#lines
    const text = lines.join('\n')
    this.#lines = []
    if (!this.#hasJoinedRows(lines, text)) return `${text}\n`
    this.left += lines.length
    return ''
  }

  /**
   * Leaves out the first of the open lines, because it does not begin a record. The later lines may be records, so they
   * are added again.
   */
  #giveUp(): string {
    const [, ...lines] = this.#lines
    this.#lines = []
    this.left += 1
    return lines.map((line) => this.add(line)).join('')
  }

  /**
   * A line is a row of its own if it has as many fields as the file and one of them is a key. One such line may be the
   * record itself.
   */
  #hasJoinedRows(lines: readonly string[], record: string): boolean {
    if (lines.length === 1) return false
    const { delimiter, first, quote } = this.#dialect
    const { keyFields, isLikeKey } = this.#keys
    const rows = lines.flatMap((line) => {
      const fields = line.split(delimiter)
      // A lone quote ends a field that began in an earlier line, such as a key followed by a line break.
      const values = keyFields(fields).flatMap((field) => (field.trim() === quote ? [] : [withoutQuotes(field)]))
      const keys = fields.length === first.length ? values.filter(isLikeKey) : []
      return keys.length > 0 ? [keys] : []
    })
    const own = keyFields(recordFields(record, this.#dialect).map(withoutQuotes))
    return rows.length > 1 || rows.some((keys) => keys.some((key) => !own.includes(key)))
  }
}

/** Decodes a field of a line whose quotes may be open, and removes quotes, blanks and line breaks from both ends. */
function withoutQuotes(field: string): string {
  return trimmedText(withoutEnds(Buffer.from(field, 'latin1').toString(), QUOTES_AND_BLANKS))
}

const QUOTES_AND_BLANKS = `'"${ASCII_WHITE_SPACE}`
