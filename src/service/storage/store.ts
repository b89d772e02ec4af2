import { type ActivationStore, createActivationStore } from './activation-store.ts'
import { type ClockStore, createClockStore } from './clock-store.ts'
import { copyDatabase, emptyDatabase, openDatabase, replaceDatabase } from './database.ts'
import { createFileStore, type FileStore } from './file-store.ts'
import { createJobStore, type JobStore } from './job-store.ts'
import { createMatchStore, type MatchStore } from './match-store.ts'
import { createSegmentStore, type SegmentStore } from './segment-store.ts'
import { inTransaction } from './statement.ts'

/** Everything that the service remembers, except the contents of files and sets. */
export interface Store {
  readonly files: FileStore
  readonly segments: SegmentStore
  readonly matches: MatchStore
  readonly activations: ActivationStore
  readonly jobs: JobStore
  readonly clock: ClockStore
  /** Commits all writes of `work` together, on disk when it returns, or none if it throws. */
  transaction<T>(work: () => T): T
  /** Removes everything and restarts the numbering of ids. Atomic. */
  clear(): void
  /** Writes everything to a new file, as it is now. */
  copyTo(file: string): void
  /** Replaces everything by a copy that `copyTo` wrote. Atomic. */
  replaceBy(file: string): void
  close(): void
}

export function openStore(file: string): Store {
  const db = openDatabase(file)
  const jobs = createJobStore(db)
  return {
    files: createFileStore(db),
    segments: createSegmentStore(db),
    matches: createMatchStore(db),
    activations: createActivationStore(db),
    jobs,
    clock: createClockStore(db),
    transaction: (work) => inTransaction(db, work),
    clear() {
      emptyDatabase(db)
      jobs.forgetRead()
    },
    copyTo: (copy) => copyDatabase(db, copy),
    replaceBy(copy) {
      replaceDatabase(db, copy)
      jobs.forgetRead()
    },
    close: () => db.close(),
  }
}
