/** A position in a text file. Lines and columns count from 1, columns in UTF-16 units. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The length of the offending text in UTF-16 units, for underlining. */
  readonly length?: number
}

/** One problem in a document, its position, and what to do. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  /** Stable, kebab-case; documented in docs/reference/diagnostics.md. */
  readonly code: string
  readonly message: string
  /** The next step, or the likely intention ("did you mean …"). */
  readonly hint?: string
  readonly at?: Position
}

/** `file:line:column`, as editors and terminals understand it. */
export function formatPosition(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`
}
