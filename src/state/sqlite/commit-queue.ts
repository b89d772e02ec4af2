import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { AudienceError } from '../../core/errors.ts'
import { explainTrouble } from '../../platform/explain-trouble.ts'
import { DAMAGE_HINT, isDamage, STATE_NOT_WRITTEN } from '../state-damage.ts'
import type { StateFiles } from './state-files.ts'

export interface CommitQueue {
  /**
   * Does the work in a transaction that it may share with other work, and resolves when the transaction is on disk. The
   * work must only read and write the database, because it is undone and repeated if other work in the transaction
   * fails.
   */
  commit<T>(work: () => T): Promise<T>
  /** Does the work now, in a separate transaction. Throws `state-not-written`. */
  commitAlone<T>(work: () => T): T
  /** Commits the waiting work now. */
  flush(): void
  /**
   * Identifies the current or the last transaction. Data that was read in a transaction stays valid until the
   * transaction ends.
   */
  readonly transaction: number
}

interface Waiting {
  /** Does the work. Returns a function to call when the transaction is on disk. */
  run(): () => void
  reject(error: unknown): void
}

/**
 * Makes a queue. All work that arrives in one turn of the event loop shares one transaction, and so one sync to disk.
 * While `files` reports a problem, nothing counts as written.
 */
export function createCommitQueue(db: DatabaseSync, files?: StateFiles): CommitQueue {
  let waiting: Waiting[] = []
  let transaction = 0

  function checkFiles(): void {
    const trouble = files?.trouble()
    if (trouble) throw trouble.error
  }

  function begin(): void {
    db.exec('BEGIN IMMEDIATE')
    transaction += 1
  }

  function commitAlone<T>(work: () => T): T {
    try {
      checkFiles()
      begin()
      const value = work()
      db.exec('COMMIT')
      checkFiles()
      return value
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw writeFailed(db, error)
    }
  }

  function flush(): void {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    let done: (() => void)[]
    try {
      done = commitAlone(() => doTogether(batch) ?? batch.map(doApart))
    } catch (failure) {
      for (const entry of batch) entry.reject(failure)
      return
    }
    for (const resolve of done) resolve()
  }

  /**
   * Does all work without savepoints, because failures are rare. If one piece of work fails, all of it is undone and
   * the result is undefined.
   */
  function doTogether(batch: readonly Waiting[]): (() => void)[] | undefined {
    try {
      return batch.map((entry) => entry.run())
    } catch {
      // The caller repeats the work one by one, so that only the work that failed gets the error.
      if (db.isTransaction) db.exec('ROLLBACK')
      begin()
      return undefined
    }
  }

  /** Does one piece of work. If it fails, the others in the batch are not affected. */
  function doApart(entry: Waiting): () => void {
    db.exec('SAVEPOINT work')
    try {
      const resolve = entry.run()
      db.exec('RELEASE work')
      return resolve
    } catch (error) {
      // A full disk may have ended the transaction already. In that case, the whole batch fails.
      if (!db.isTransaction) throw error
      db.exec('ROLLBACK TO work')
      db.exec('RELEASE work')
      return () => entry.reject(error)
    }
  }

  return {
    commit<T>(work: () => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      waiting.push({
        run: () => {
          const value = work()
          return () => resolve(value)
        },
        reject,
      })
      if (waiting.length === 1) setImmediate(flush)
      return promise
    },
    commitAlone,
    flush,
    get transaction() {
      return transaction
    },
  }
}

/** The error if the disk is full or another process keeps the database locked. Nothing in the batch was written. */
function writeFailed(db: DatabaseSync, error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  const file = db.location() ?? ''
  const { why, repair = 'free disk space or end the process that locks the state' } = explainTrouble(
    error,
    dirname(file),
  )
  return new AudienceError({
    code: STATE_NOT_WRITTEN,
    kind: 'failed',
    message: `the state in ${file} cannot be written: ${why}`,
    hint: isDamage(error)
      ? DAMAGE_HINT
      : `nothing that was recorded is lost; ${repair}, then continue with \`audience runs resume\``,
    cause: error,
  })
}
