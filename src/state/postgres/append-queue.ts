import type { Clock } from '../../core/clock.ts'
import type { Redact } from '../../core/secrets.ts'
import { type NewRecord, RunTakenOverError } from '../run-store.ts'
import { appendStatement, type RunAppend } from './append-statement.ts'
import type { Database } from './database.ts'
import { throughOutages } from './through-outages.ts'

/** A larger statement would take a long time, and others would have to wait. */
const MOST_APPENDS = 500

interface Waiting {
  readonly runId: string
  readonly records: readonly NewRecord[]
  readonly taken: (() => void) | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Adds records to the runs that this process has taken up. Records that arrive while a statement runs go with the next
 * statement. Only one statement runs at a time, so the database keeps the order of the calls. While the database cannot
 * be reached, the queue waits. A statement whose outcome is unknown is repeated. This is safe, because each record has
 * an epoch and a position.
 */
export class AppendQueue {
  readonly #deps: AppendDeps
  #waiting: Waiting[] = []
  #isFlushing = false

  constructor(deps: AppendDeps) {
    this.#deps = deps
  }

  append(runId: string, records: readonly NewRecord[], taken?: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ runId, records, taken, resolve, reject })
      if (this.#isFlushing) return
      this.#isFlushing = true
      setImmediate(() => void this.#flush())
    })
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST_APPENDS)
      for (const { taken } of batch) taken?.()
      await this.#writeTogether(batch)
    }
    this.#isFlushing = false
  }

  /** Writes a batch. If something is wrong with the records of one run, the other runs are still written. */
  async #writeTogether(batch: readonly Waiting[]): Promise<void> {
    const { epochs } = this.#deps
    const before = new Map(batch.map(({ runId }) => [runId, epochs.get(runId)]))
    try {
      const owned = await this.#write(batch)
      for (const { runId, resolve, reject } of batch) {
        if (owned.has(runId)) resolve()
        else reject(new RunTakenOverError(runId))
      }
    } catch (error) {
      const byRun = Map.groupBy(batch, ({ runId }) => runId)
      if (byRun.size > 1) {
        for (const own of byRun.values()) await this.#writeTogether(own)
        return
      }
      // These records were not written. So this process must not add later records to the run, unless it has taken the
      // run up again in the meantime.
      for (const { runId, reject } of batch) {
        if (epochs.get(runId) === before.get(runId)) epochs.delete(runId)
        reject(error)
      }
    }
  }

  /** Writes a batch. Returns the runs in it that this process still owned. */
  async #write(batch: readonly Waiting[]): Promise<ReadonlySet<string>> {
    const { db, redact, epochs } = this.#deps
    const appends = [...Map.groupBy(batch, ({ runId }) => runId)].flatMap(([runId, own]): RunAppend[] => {
      const epoch = epochs.get(runId)
      return epoch === undefined ? [] : [{ runId, epoch, records: own.flatMap(({ records }) => records) }]
    })
    if (appends.length === 0) return new Set()
    const rows = await throughOutages((isRepeated) => {
      const { text, values } = appendStatement(appends, { redact, isRepeated })
      return db.rows(text, values)
    }, this.#deps)
    return new Set(rows.map((row) => String(row.run_id)))
  }
}

interface AppendDeps {
  db: Database
  redact: Redact
  clock: Clock
  /** The runs that this process has taken up, each with its epoch. */
  epochs: Map<string, number>
  /** Aborts when this process must no longer wait for the database. */
  signal: AbortSignal
}
