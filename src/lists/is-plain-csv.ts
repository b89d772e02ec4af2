import { open } from 'node:fs/promises'
import { endianness } from 'node:os'
import { readChunks } from '../platform/read-chunks.ts'
import type { CsvDialect } from './csv-dialect.ts'

/**
 * Whether every line of a CSV file is one record: no quote is broken or left open at the end of a line, and all line
 * endings are the same. Only then do DuckDB's rows match the file: if a quote is open, DuckDB silently reads the lines
 * up to the next quote as one row.
 */
export async function isPlainCsv(path: string, dialect: CsvDialect, signal: AbortSignal): Promise<boolean> {
  await using file = await open(path, 'r')
  // Where files were joined, a byte order mark hides the quote after it from DuckDB.
  const joined = Buffer.concat([MARK, Buffer.from(dialect.quote)])
  let tables: Tables | undefined
  let edge = Buffer.alloc(0)
  let state = LINE_START
  for await (const chunk of readChunks(file, signal)) {
    // A byte order mark is expected at the beginning of a file.
    const start = tables === undefined && chunk.indexOf(MARK) === 0 ? MARK.length : 0
    tables ??= new Tables(dialect, lineEndOf(chunk))
    const hasQuotes = chunk.includes(dialect.quote)
    if (hasQuotes && (chunk.includes(joined, start) || isAcross(joined, edge, chunk))) return false
    edge = Buffer.from(chunk.subarray(1 - joined.length))
    // Most files have no quotes: for them, checking the ends of chunks is enough.
    const isText = state <= TEXT && !hasQuotes && tables.lineEnd === '\n' && !chunk.includes(RETURN)
    const from = isText ? chunk.lastIndexOf(LINE_FEED) + 1 : 0
    if (from > 0) state = LINE_START
    state = stateAfter(tables, state, chunk, Math.max(from, start))
    if (state === NOT_PLAIN) return false
  }
  return state !== QUOTED && state !== ESCAPED && state !== AFTER_RETURN
}

const MARK = Buffer.from('\ufeff')

type LineEnd = '\n' | '\r\n' | '\r'

const LINE_START = 0
const FIELD_START = 1
const TEXT = 2
const QUOTED = 3
const ESCAPED = 4
/** The state after a quote that ends a field, or that is the first of two quotes. */
const CLOSED = 5
const AFTER_CLOSED = 6
const AFTER_RETURN = 7
const NOT_PLAIN = 8

/**
 * The next state for each state and byte. A file has millions of bytes, and a table is the fastest way through them.
 */
class Tables {
  readonly lineEnd: LineEnd
  readonly bytes: Uint8Array
  #pairs: Uint8Array | undefined

  constructor(dialect: CsvDialect, lineEnd: LineEnd) {
    this.lineEnd = lineEnd
    this.bytes = transitions(dialect, lineEnd)
  }

  /** The next state for each state and two bytes, read as one number: this halves the steps. */
  get pairs(): Uint8Array {
    this.#pairs ??= pairsOf(this.bytes)
    return this.#pairs
  }
}

function transitions({ delimiter, quote, escapeMark }: CsvDialect, lineEnd: LineEnd): Uint8Array {
  const isBackslash = escapeMark !== quote
  const table = new Uint8Array((NOT_PLAIN + 1) << 8).fill(NOT_PLAIN)
  const after = (state: number, other: number, marks: Readonly<Record<string, number>>) => {
    table.fill(other, state << 8, (state + 1) << 8)
    const ends = {
      '\n': NOT_PLAIN,
      '\r': NOT_PLAIN,
      [lineEnd[0] ?? '']: lineEnd === '\r\n' ? AFTER_RETURN : LINE_START,
    }
    for (const [mark, to] of Object.entries({ ...ends, [delimiter]: FIELD_START, ...marks })) {
      if (mark.charCodeAt(0) < 128) table[(state << 8) | mark.charCodeAt(0)] = to
    }
  }
  const inQuotes = { [delimiter]: QUOTED, '\n': NOT_PLAIN, '\r': NOT_PLAIN, [quote]: CLOSED }
  after(LINE_START, TEXT, { [quote]: QUOTED })
  after(FIELD_START, TEXT, { [quote]: QUOTED, ' ': FIELD_START })
  after(TEXT, TEXT, {})
  after(QUOTED, QUOTED, isBackslash ? { ...inQuotes, '\\': ESCAPED } : inQuotes)
  after(ESCAPED, QUOTED, { ...inQuotes, [quote]: QUOTED })
  after(CLOSED, NOT_PLAIN, isBackslash ? { ' ': AFTER_CLOSED } : { ' ': AFTER_CLOSED, [quote]: QUOTED })
  after(AFTER_CLOSED, NOT_PLAIN, { ' ': AFTER_CLOSED })
  table[(AFTER_RETURN << 8) | LINE_FEED] = LINE_START
  return table
}

function pairsOf(bytes: Uint8Array): Uint8Array {
  const pairs = new Uint8Array((NOT_PLAIN + 1) << 16)
  const isLittle = endianness() === 'LE'
  for (let state = 0; state <= NOT_PLAIN; state += 1) {
    for (let first = 0; first < 256; first += 1) {
      const between = bytes[(state << 8) | first] ?? NOT_PLAIN
      for (let second = 0; second < 256; second += 1) {
        pairs[(state << 16) | (isLittle ? (second << 8) | first : (first << 8) | second)] =
          bytes[(between << 8) | second] ?? NOT_PLAIN
      }
    }
  }
  return pairs
}

const LINE_FEED = 10
const RETURN = 13
/** Building the table of pairs takes as long as following 300,000 bytes. */
const WORTH_PAIRS = 1 << 15

/**
 * The state after the bytes from a position on. Each line of a plain file begins in the same state, so four parts of
 * the bytes can be followed side by side: a processor does that three times as fast as following them one after the
 * other.
 */
function stateAfter(tables: Tables, state: number, chunk: Buffer, start: number): number {
  const { bytes } = tables
  const end = chunk.length
  const quarter = (end - start) >> 2
  const [b = 0, c = 0, d = 0] = [1, 2, 3].map((part) => chunk.indexOf(LINE_FEED, start + quarter * part) + 1)
  // Each number holds two bytes.
  const length = Math.min(b - start, c - b, d - c, end - d) >> 1
  if (length < WORTH_PAIRS) return follow(bytes, state, chunk, start, end)
  const { pairs } = tables
  const words = new Uint16Array(chunk.buffer, chunk.byteOffset, end >> 1)
  // A number begins only at an even position.
  const [evenA, evenB, evenC, evenD] = [start, b, c, d].map((at) => (at + 1) >> 1) as [number, number, number, number]
  let one = follow(bytes, state, chunk, start, evenA << 1)
  let two = follow(bytes, LINE_START, chunk, b, evenB << 1)
  let three = follow(bytes, LINE_START, chunk, c, evenC << 1)
  let four = follow(bytes, LINE_START, chunk, d, evenD << 1)
  const steps = length - 1
  for (let at = 0; at < steps; at += 1) {
    one = pairs[(one << 16) | (words[evenA + at] ?? 0)] ?? NOT_PLAIN
    two = pairs[(two << 16) | (words[evenB + at] ?? 0)] ?? NOT_PLAIN
    three = pairs[(three << 16) | (words[evenC + at] ?? 0)] ?? NOT_PLAIN
    four = pairs[(four << 16) | (words[evenD + at] ?? 0)] ?? NOT_PLAIN
  }
  one = follow(bytes, one, chunk, (evenA + steps) << 1, b)
  two = follow(bytes, two, chunk, (evenB + steps) << 1, c)
  three = follow(bytes, three, chunk, (evenC + steps) << 1, d)
  if (one !== LINE_START || two !== LINE_START || three !== LINE_START) return NOT_PLAIN
  return follow(bytes, four, chunk, (evenD + steps) << 1, end)
}

function follow(next: Uint8Array, from: number, chunk: Buffer, start: number, end: number): number {
  let state = from
  for (let at = start; at < end; at += 1) state = next[(state << 8) | (chunk[at] ?? 0)] ?? NOT_PLAIN
  return state
}

/** Whether a string begins in one chunk and ends in the next. */
function isAcross(text: Buffer, edge: Buffer, chunk: Buffer): boolean {
  return Buffer.concat([edge, chunk.subarray(0, text.length - 1)]).includes(text)
}

/** The first line ending of a file; all others must be the same. */
function lineEndOf(chunk: Buffer): LineEnd {
  const feed = chunk.indexOf('\n')
  const carriage = chunk.indexOf('\r')
  if (carriage < 0 || (feed >= 0 && feed < carriage)) return '\n'
  return feed === carriage + 1 ? '\r\n' : '\r'
}
