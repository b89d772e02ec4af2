import type { ErrorDetails } from '../core/errors.ts'

/** The questions to ask the process that reads a list. */
export type SandboxQuestion =
  | { readonly ask: 'open'; readonly place: SandboxPlace }
  | { readonly ask: 'run'; readonly sql: string; readonly query: string | undefined }
  | { readonly ask: 'rows' | 'rowsIfAny'; readonly sql: string }
  | { readonly ask: 'columnsOf'; readonly query: string }
  /** The answer says whether the process has room for another list. */
  | { readonly ask: 'close' }

/** The resources that DuckDB may use. */
export interface SandboxPlace {
  /** The files that it may read and write. */
  readonly files: readonly string[]
  /** The folder for data that does not fit into memory. */
  readonly tempDir: string
  /** The memory that the process may keep. */
  readonly memoryBytes: number
  /** How much it may write to `tempDir`. */
  readonly diskBytes: number
  /** How many threads work at the same time. */
  readonly threads: number
}

/** The answer to the question with the same number, or a notice before the process ends itself. */
export type SandboxReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorDetails }
  | { readonly over: 'memory' }
