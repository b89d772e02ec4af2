import { stat } from 'node:fs/promises'
import type { ListLimits } from '../core/list-limits.ts'
import { roomFor } from './disk-room.ts'
import type { SandboxPlace } from './sandbox-messages.ts'
import { type SandboxProcess, startSandbox } from './start-sandbox.ts'

/** DuckDB for one list. It reaches the files that it was opened with, and nothing else on this machine. */
export interface Sandbox {
  /**
   * Runs a statement. `query`: the part of it that is the document's own SQL. Throws AudienceErrors without any text
   * from DuckDB.
   */
  run(sql: string, query?: string): Promise<void>
  /** The rows of a statement that returns few rows. 64-bit integers are bigint. */
  rows(sql: string): Promise<Record<string, unknown>[]>
  /**
   * The same, but no rows if the table does not exist. Checking for the table first would take longer than most
   * statements.
   */
  rowsIfAny(sql: string): Promise<Record<string, unknown>[]>
  /** The number of columns that a document's SQL gives. Throws if the SQL is not one SELECT. */
  columnsOf(query: string): Promise<number>
}

/** The options of a sandbox, and the signal that ends it immediately. */
type SandboxRequest = Pick<SandboxPlace, 'files' | 'tempDir'> & {
  readonly signal: AbortSignal
  /** `own`: for a document's SQL, a process that no other list uses before or after. */
  readonly process: 'own' | 'shared'
}

/** A process waits this long for the next list, because making a small list takes less time than starting a process. */
const IDLE_MS = 5_000
const OLD_MS = 60_000

/** More threads would need more memory. */
const THREADS = 2
/** If the files together have fewer bytes than this, a second thread costs more than it helps. */
const WORTH_THREADS = 256 * 1024

/**
 * Opens DuckDB in separate processes: a query beyond its limits ends such a process, and never this one. A document's
 * SQL gets all the memory, and a process that no other list ever uses.
 */
export class Sandboxes {
  readonly #limits: ListLimits
  readonly #idle = new Map<SandboxProcess, NodeJS.Timeout>()

  constructor(limits: ListLimits) {
    this.#limits = limits
  }

  /** Opens DuckDB for `work`. When the signal aborts, the process is killed. */
  async open<T>(
    { files, tempDir, signal, process: whose }: SandboxRequest,
    work: (sandbox: Sandbox) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const diskBytes = await roomFor(tempDir)
    // A document's SQL can make many rows from a few.
    const threads = whose === 'own' || (await bytesOf(files)) >= WORTH_THREADS ? THREADS : 1
    const { memoryBytes } = this.#limits
    const idle = whose === 'own' ? undefined : this.#takeIdle()
    const child = idle ?? startSandbox({ ...this.#limits, fileBytes: diskBytes, sparedMs: OLD_MS })
    const kill = () => void child.end()
    signal.addEventListener('abort', kill)
    try {
      await child.ask({ ask: 'open', place: { files, tempDir, memoryBytes, diskBytes, threads } })
      return await work({
        run: async (sql, query) => {
          await child.ask({ ask: 'run', sql, query })
        },
        rows: async (sql) => (await child.ask({ ask: 'rows', sql })) as Record<string, unknown>[],
        rowsIfAny: async (sql) => (await child.ask({ ask: 'rowsIfAny', sql })) as Record<string, unknown>[],
        columnsOf: async (query) => (await child.ask({ ask: 'columnsOf', query })) as number,
      })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', kill)
      if (whose === 'own' || signal.aborted || !(await this.#keep(child))) await child.end()
    }
  }

  /** Ends the idle processes. */
  async close(): Promise<void> {
    await Promise.all([...this.#idle.keys()].map((child) => this.#forget(child).end()))
  }

  #takeIdle(): SandboxProcess | undefined {
    for (const child of this.#idle.keys()) if (this.#forget(child).isFree()) return child
    return undefined
  }

  async #keep(child: SandboxProcess): Promise<boolean> {
    if (!child.isFree() || child.ageMs() > OLD_MS) return false
    if ((await child.ask({ ask: 'close' }).catch(() => false)) !== true) return false
    child.rest()
    this.#idle.set(child, setTimeout(() => void this.#forget(child).end(), IDLE_MS).unref())
    return true
  }

  #forget(child: SandboxProcess): SandboxProcess {
    clearTimeout(this.#idle.get(child))
    this.#idle.delete(child)
    return child
  }
}

/** How many bytes the files have together. Some of them may not exist yet. */
async function bytesOf(files: readonly string[]): Promise<number> {
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)))
  return stats.reduce((sum, one) => sum + (one?.size ?? 0), 0)
}
