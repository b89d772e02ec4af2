import { isUtf8 } from 'node:buffer'
import type { WatchTrigger } from '../../core/pipeline.ts'
import { firstFieldOf, isBlank, isHeader, isKeyOf } from './signal-key.ts'

type Rule = Pick<WatchTrigger['precheck'], 'signal' | 'minimumShare'>

/** The most lines that a reason names. */
const MAX_LINES = 20
/** No valid row is this long; the limit keeps memory use small. */
const MAX_LINE_BYTES = 2 ** 21
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Checks the content of a file chunk by chunk; at the end it says why the file cannot be used. */
export class RowCheck {
  readonly #rule: Rule
  #rest: Buffer = Buffer.alloc(0)
  /** Whether it is in the middle of a line that is too long. */
  #isSkipping = false
  #line = 0
  #hasText = false
  #rows = 0
  #unfit = new LineNumbers()
  #notText = new LineNumbers()
  #tooLong = new LineNumbers()

  constructor(rule: Rule) {
    this.#rule = rule
  }

  /** Does not keep the chunk. */
  add(chunk: Buffer): void {
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    // A carriage return at the very end may be the first half of a line end.
    const end = Math.max(data.lastIndexOf(LINE_FEED), data.subarray(0, -1).lastIndexOf(CARRIAGE_RETURN)) + 1
    if (end > 0) this.#lines(data.subarray(0, end))
    this.#rest = Buffer.from(data.subarray(end))
    if (this.#rest.length > MAX_LINE_BYTES) {
      this.#isSkipping = true
      this.#rest = Buffer.alloc(0)
    }
  }

  /** The reason against the file; undefined if there is none. */
  end(): string | undefined {
    if (this.#rest.length > 0 || this.#isSkipping) this.#lines(this.#rest)
    const { signal, minimumShare } = this.#rule
    if (this.#notText.count > 0) return `it is not UTF-8 text: ${this.#notText}`
    if (this.#tooLong.count > 0)
      return `it is no CSV, a line of it has more than ${MAX_LINE_BYTES} bytes: ${this.#tooLong}`
    if (!this.#hasText) return 'there is nothing in it but blanks'
    if (signal === undefined) return undefined
    if (this.#rows === 0) return 'it has a header and no row'
    const unfit = this.#unfit.count
    if ((this.#rows - unfit) / this.#rows >= minimumShare) return undefined
    const found = `${this.#rows - unfit} of its ${this.#rows} rows (${percent(1 - unfit / this.#rows)})`
    return `${found} are of the signal ${signal}, and ${percent(minimumShare)} have to be; not so ${this.#unfit}`
  }

  /** Takes whole lines, each with its line end; the last line of the file may have none. */
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

  #row(line: string): void {
    const { signal } = this.#rule
    if (signal === undefined && this.#hasText) return
    const row = this.#line === 1 && line.startsWith('\ufeff') ? line.slice(1) : line
    if (isBlank(row)) return
    const isFirst = !this.#hasText
    this.#hasText = true
    if (signal === undefined || (isFirst && isHeader(signal, row))) return
    this.#rows += 1
    const field = firstFieldOf(row)
    if (field === undefined || !isKeyOf(signal, field)) this.#unfit.add(this.#line)
  }
}

/** Line numbers: all are counted, the first ones are named: `lines 2, 5 and 140 more`. */
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
    return more > 0 ? `${named} and ${more} more` : named
  }
}

/** Rounded down, so that a share that is too small does not look large enough. */
function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`
}
