import { createReadStream } from 'node:fs'
import type { CsvDialect } from './csv-dialect.ts'

/**
 * Whether every line of a CSV file is one record: no quotes are left open at a line end or broken, and all line ends are
 * alike. Only then are DuckDB's rows those of the file: where a quote is open, it reads the lines up to the next quote as
 * one row, and says nothing.
 */
export async function isPlainCsv(path: string, dialect: CsvDialect, signal: AbortSignal): Promise<boolean> {
  const marks = { ...dialect, delimiterByte: byteOf(dialect.delimiter), quoteByte: byteOf(dialect.quote) }
  const joined = Buffer.concat([Buffer.from('\ufeff'), Buffer.from(dialect.quote)])
  const lines = new LineReader({ ...marks, isBackslash: dialect.escapeMark !== dialect.quote })
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    // Where files were joined, a byte order mark hides the quote behind it from DuckDB.
    if (chunk.includes(joined)) return false
    if (!lines.read(chunk)) return false
  }
  return lines.hasEnded
}

/** -1 for a delimiter that no file has. */
function byteOf(mark: string): number {
  const code = mark.charCodeAt(0)
  return code < 128 ? code : -1
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const BACKSLASH = 92

const LINE_START = 0
const FIELD_START = 1
const TEXT = 2
const QUOTED = 3
const ESCAPED = 4
const CLOSED = 5
const AFTER_CLOSED = 6

/** Follows the quotes and the line ends of a file: numbers instead of names, because it looks at every byte. */
class LineReader {
  readonly #delimiter: number
  readonly #quote: number
  readonly #isBackslash: boolean
  #state = LINE_START
  /** The line end of the file so far, as `\n` is 1, `\r\n` is 2 and `\r` is 3. */
  #lineEnd = 0
  #afterReturn = false

  constructor(marks: { readonly delimiterByte: number; readonly quoteByte: number; readonly isBackslash: boolean }) {
    this.#delimiter = marks.delimiterByte
    this.#quote = marks.quoteByte
    this.#isBackslash = marks.isBackslash
  }

  get hasEnded(): boolean {
    return this.#state !== QUOTED && this.#state !== ESCAPED && (!this.#afterReturn || this.#isLineEnd(3))
  }

  /** False at the first place that is not plain. */
  read(chunk: Buffer): boolean {
    if (!chunk.includes(this.#quote) && !chunk.includes(CARRIAGE_RETURN) && !this.#afterReturn)
      return this.#readUnquoted(chunk)
    for (const byte of chunk) {
      if (this.#afterReturn && !this.#isLineEnd(byte === LINE_FEED ? 2 : 3)) return false
      if (byte === LINE_FEED && !this.#afterReturn && !this.#isLineEnd(1)) return false
      this.#afterReturn = byte === CARRIAGE_RETURN
      this.#state = this.#next(byte)
      if (this.#state < 0) return false
    }
    return true
  }

  /** Most files have no quotes: it is enough to look where the chunk ends. */
  #readUnquoted(chunk: Buffer): boolean {
    if (this.#state === QUOTED || this.#state === ESCAPED) return !chunk.includes(LINE_FEED)
    if (chunk.includes(LINE_FEED) && !this.#isLineEnd(1)) return false
    if (this.#state === CLOSED || this.#state === AFTER_CLOSED) {
      for (const byte of chunk) {
        this.#state = this.#next(byte)
        if (this.#state < 0) return false
        if (this.#state < QUOTED) break
      }
    }
    let end = chunk.length - 1
    while (end > 0 && chunk[end] === SPACE) end -= 1
    const last = chunk[end]
    if (last === LINE_FEED) this.#state = end === chunk.length - 1 ? LINE_START : TEXT
    else if (last === this.#delimiter) this.#state = FIELD_START
    else if (last !== SPACE) this.#state = TEXT
    return true
  }

  #isLineEnd(kind: number): boolean {
    if (this.#lineEnd === 0) this.#lineEnd = kind
    return this.#lineEnd === kind
  }

  #next(byte: number): number {
    const isEnd = byte === LINE_FEED || byte === CARRIAGE_RETURN
    switch (this.#state) {
      case QUOTED:
        if (isEnd) return -1
        if (this.#isBackslash && byte === BACKSLASH) return ESCAPED
        return byte === this.#quote ? CLOSED : QUOTED
      case ESCAPED:
        return isEnd ? -1 : QUOTED
      case CLOSED:
        if (byte === this.#quote && !this.#isBackslash) return QUOTED
        return this.#afterClosed(byte, isEnd)
      case AFTER_CLOSED:
        return this.#afterClosed(byte, isEnd)
      default:
        if (isEnd) return LINE_START
        if (byte === this.#delimiter) return FIELD_START
        if (byte === this.#quote && this.#state !== TEXT) return QUOTED
        return byte === SPACE && this.#state === FIELD_START ? FIELD_START : TEXT
    }
  }

  #afterClosed(byte: number, isEnd: boolean): number {
    if (isEnd) return LINE_START
    if (byte === this.#delimiter) return FIELD_START
    return byte === SPACE ? AFTER_CLOSED : -1
  }
}
