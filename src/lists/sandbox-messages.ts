import type { ErrorDetails } from '../core/errors.ts'

/** What the process of a list is asked for. */
export type SandboxQuestion =
  | { readonly ask: 'open'; readonly place: SandboxPlace }
  | { readonly ask: 'run'; readonly sql: string; readonly query: string | undefined }
  | { readonly ask: 'rows'; readonly sql: string }
  | { readonly ask: 'columnsOf'; readonly query: string }
  /** Answered with how many bytes stay in memory. */
  | { readonly ask: 'close' }

/** What DuckDB may use of this machine. */
export interface SandboxPlace {
  /** The files that it may read and write. */
  readonly files: readonly string[]
  /** The folder for what does not fit into memory. */
  readonly tempDir: string
  /** What the process may keep in memory. */
  readonly memoryBytes: number
  /** How much it may write to `tempDir`. */
  readonly diskBytes: number
}

/** The answer to the question with the same number; or news that nobody asked for, before the process ends itself. */
export type SandboxReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorDetails }
  | { readonly over: 'memory' }
