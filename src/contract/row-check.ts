import { isUtf8 } from 'node:buffer'
import { count, formatShare, grouped } from '../core/format/figures.ts'
import { fieldsOf, firstFieldOf, hidesKey, isBlank, isFormed, isHeader, isKeyOf } from './signal-key.ts'

/** The conditions for the rows of a file. */
interface Rule {
  /** Without it, rows are not checked. */
  readonly signal?: string
  /** The share of rows with a key of the signal, from 0 to 1; 0 accepts every text. */
  readonly minimumShare: number
}

/** The minimum share of rows with a key, if the document does not give one. */
export const DEFAULT_MINIMUM_SHARE = 0.9

/** The maximum number of lines that a reason names. */
const MAX_LINES = 20
/** No valid row is this long; the limit keeps memory use small. */
const MAX_LINE_BYTES = 2 ** 21
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Checks the content of a file chunk by chunk; at the end it says why the file cannot be used. */
export class RowCheck {
  readonly #rule: Rule
  #rest: Buffer = Buffer.alloc(0)
  /** Whether the check is in the middle of a line that is too long. */
  #isSkipping = false
  #line = 0
  #hasText = false
  #rows = 0
  #unfit = new LineNumbers()
  #elsewhere = new KeyColumns()
  #notText = new LineNumbers()
  #tooLong = new LineNumbers()

  constructor(rule: Rule) {
    this.#rule = rule
  }

  /** Does not keep the chunk. */
  add(chunk: Buffer): void {
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    // A carriage return at the very end may be the first half of a line ending.
    const end = Math.max(data.lastIndexOf(LINE_FEED), data.subarray(0, -1).lastIndexOf(CARRIAGE_RETURN)) + 1
    if (end > 0) this.#lines(data.subarray(0, end))
    this.#rest = Buffer.from(data.subarray(end))
    if (this.#rest.length > MAX_LINE_BYTES) {
      this.#isSkipping = true
      this.#rest = Buffer.alloc(0)
    }
  }

  /**
   * The reason to reject the file; undefined if there is none. It contains only figures, never the content of a row.
   */
  end(): string | undefined {
    if (this.#rest.length > 0 || this.#isSkipping) this.#lines(this.#rest)
    const { signal, minimumShare } = this.#rule
    if (this.#notText.count > 0) return `it is not UTF-8 text: ${this.#notText}`
    if (minimumShare === 0) return undefined
    if (this.#tooLong.count > 0) return `it is not CSV: more than ${count(MAX_LINE_BYTES, 'byte')} in ${this.#tooLong}`
    if (!this.#hasText) return 'it has only blank lines'
    if (signal === undefined) return undefined
    if (this.#rows === 0) return 'it has a header and no rows'
    const unfit = this.#unfit.count
    if ((this.#rows - unfit) / this.#rows >= minimumShare) return undefined
    const found = `${grouped(this.#rows - unfit)} of its ${grouped(this.#rows)} rows (${shareText(1 - unfit / this.#rows)})`
    const column = this.#elsewhere.most()
    return [
      `${found} begin with a key of the signal ${signal}, but at least ${shareText(minimumShare)} must; the others: ${this.#unfit}`,
      ...(column === undefined ? [] : [`column ${column} looks like ${signal}; the key must be in the first column`]),
    ].join('; ')
  }

  /**
   * How many rows have been checked; 0 if there is no signal. The header and blank lines are not counted. A first row
   * with a damaged key is counted.
   */
  get rows(): number {
    return this.#rows
  }

  /** Takes whole lines, each with its line ending. The last line of the file may have none. */
  #lines(data: Buffer): void {
    const isText = isUtf8(data)
    const lines = data.toString(isText ? 'utf8' : 'latin1').split(/\r\n|\n|\r/)
    if (lines.at(-1) === '' && data.length > 0) lines.pop()
    for (const line of lines) {
      this.#line += 1
      if (this.#isSkipping) this.#tooLong.add(this.#line)
      else if (!isText && !isUtf8(Buffer.from(line, 'latin1'))) this.#notText.add(this.#line)
      else this.#row(isText ? line : Buffer.from(line, 'latin1').toString())
      this.#isSkipping = false
    }
  }

  #row(row: string): void {
    const { signal } = this.#rule
    if (signal === undefined && this.#hasText) return
    if (isBlank(row)) return
    const isFirst = !this.#hasText
    this.#hasText = true
    if (signal === undefined || (isFirst && isHeader(signal, row) && !hidesKey(signal, row))) return
    this.#rows += 1
    const field = firstFieldOf(row)
    if (field !== undefined && isKeyOf(signal, field)) return
    this.#unfit.add(this.#line)
    this.#elsewhere.add(signal, row)
  }
}

/** Line numbers. All are counted, and the first ones are named: `lines 2, 5 and 140 more`. */
class LineNumbers {
  readonly #first: number[] = []
  count = 0

  add(line: number): void {
    this.count += 1
    if (this.#first.length < MAX_LINES) this.#first.push(line)
  }

  toString(): string {
    const more = this.count - this.#first.length
    const named = `${this.count === 1 ? 'line' : 'lines'} ${this.#first.join(', ')}`
    return more > 0 ? `${named} and ${grouped(more)} more` : named
  }
}

/** Counts the keys in the other columns of rows that have no key in the first one, to find the column with the keys. */
class KeyColumns {
  readonly #counts = new Map<number, number>()
  #seen = 0

  add(signal: string, row: string): void {
    if (this.#seen >= MAX_SAMPLED || !isFormed(signal)) return
    this.#seen += 1
    for (const [index, field] of fieldsOf(row).slice(1, MAX_COLUMNS).entries()) {
      if (isKeyOf(signal, field)) this.#counts.set(index + 2, (this.#counts.get(index + 2) ?? 0) + 1)
    }
  }

  /** The column, counted from 1, that has a key in most rows. */
  most(): number | undefined {
    const [found] = [...this.#counts].sort(([, a], [, b]) => b - a)
    return found && found[1] * 2 > this.#seen ? found[0] : undefined
  }
}

const MAX_SAMPLED = 1000
const MAX_COLUMNS = 50

/** Rounded down, so that a share that is too small does not look large enough. */
function shareText(share: number): string {
  return formatShare(Math.floor(share * 1000) / 1000)
}
