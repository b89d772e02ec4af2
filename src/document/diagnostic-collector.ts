import type { Diagnostic, Position } from '../core/diagnostic.ts'
import type { Span } from './document-node.ts'

export interface Problem {
  /** Stable, kebab-case; the codes of pipelines are in diagnostic-codes.ts. */
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

/** Collects the problems in one document, and converts its offsets to positions. */
export class DiagnosticCollector {
  readonly #file: string
  readonly #text: string
  readonly #found: { readonly diagnostic: Diagnostic; readonly start: number }[] = []
  #lineStarts: readonly number[] | undefined
  readonly #explained: Span[] = []
  #errors = 0

  constructor(file: string, text: string) {
    this.#file = file
    this.#text = text
  }

  error(problem: Problem, span: Span): void {
    if (this.#explained.some(({ start, end }) => span.start >= start && span.end <= end)) return
    this.#errors++
    this.#add('error', problem, span)
  }

  /** An error about a value that is not allowed at its position. */
  wrongValue(message: string, span: Span, hint?: string): void {
    this.error({ code: 'wrong-value', message, hint }, span)
  }

  /** An error that explains all other errors at its position. */
  onlyError(problem: Problem, span: Span): void {
    this.error(problem, span)
    this.#explained.push(span)
  }

  warning(problem: Problem, span: Span): void {
    this.#add('warning', problem, span)
  }

  /** Whether there is an error at a position. */
  hasErrorIn({ start, end }: Span): boolean {
    return this.#found.some(
      (found) => found.diagnostic.severity === 'error' && found.start >= start && found.start < end,
    )
  }

  get hasErrors(): boolean {
    return this.#errors > 0
  }

  /** All diagnostics, sorted by position, without duplicates. */
  diagnostics(): readonly Diagnostic[] {
    const seen = new Set<string>()
    const sorted = this.#found.toSorted((a, b) => a.start - b.start)
    const wrong = new Set(sorted.flatMap(({ diagnostic, start }) => (diagnostic.severity === 'error' ? [start] : [])))
    return sorted.flatMap(({ diagnostic, start }) => {
      if (diagnostic.severity === 'warning' && wrong.has(start)) return []
      const identity = `${start} ${diagnostic.code} ${diagnostic.message}`
      if (seen.has(identity)) return []
      seen.add(identity)
      return [diagnostic]
    })
  }

  /** The line and column of a position; the length stops at the end of its line. */
  positionOf({ start, end }: Span): Position {
    const offset = Math.max(0, Math.min(start, this.#text.length))
    const line = this.#lineOf(offset)
    const lineStart = this.#starts()[line] ?? 0
    let lineEnd = this.#text.indexOf('\n', offset)
    if (lineEnd === -1) lineEnd = this.#text.length
    if (this.#text[lineEnd - 1] === '\r' && lineEnd > offset) lineEnd--
    const length = Math.min(end, lineEnd) - offset
    const position = { file: this.#file, line: line + 1, column: offset - lineStart + 1 }
    return length > 0 ? { ...position, length } : position
  }

  #add(severity: 'error' | 'warning', { code, message, hint }: Problem, span: Span): void {
    if (this.#found.length >= MAX_DIAGNOSTICS) return
    const text = { message: shortened(message), hint: hint && shortened(hint) }
    const diagnostic = { severity, code, ...text, at: this.positionOf(span) }
    this.#found.push({ diagnostic, start: span.start })
  }

  #lineOf(offset: number): number {
    const starts = this.#starts()
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  #starts(): readonly number[] {
    if (this.#lineStarts) return this.#lineStarts
    const starts = [0]
    for (let at = this.#text.indexOf('\n'); at !== -1; at = this.#text.indexOf('\n', at + 1)) starts.push(at + 1)
    this.#lineStarts = starts
    return starts
  }
}

/** A message and a hint may quote the document's content, which may be very long. */
function shortened(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 1)}…`
}

const MAX_MESSAGE = 400

/** People read no more than this; the limit also protects against a hostile document. */
const MAX_DIAGNOSTICS = 200
