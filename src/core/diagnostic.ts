/** A place in a text file. Lines and columns count from 1, columns in UTF-16 units. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
  /** How many UTF-16 units the offending text has, for underlining. */
  readonly length?: number
}

/** One problem of a document, with where it is and what to do. */
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
