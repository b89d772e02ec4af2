import type { DatabaseSync } from 'node:sqlite'
import type { ClockState } from '../control/service-clock.ts'
import { type ActivationStore, createActivationStore } from './activation-store.ts'
import { copyDatabase, emptyDatabase, openDatabase, replaceDatabase } from './database.ts'
import { createFileStore, type FileStore } from './file-store.ts'
import { createJobStore, type JobStore } from './job-store.ts'
import { createMatchStore, type MatchStore } from './match-store.ts'
import { createSegmentStore, type SegmentStore } from './segment-store.ts'
import { inTransaction, statementsOf } from './statement.ts'

/** Everything that the service remembers, except the contents of files and sets. */
export interface Store {
  readonly files: FileStore
  readonly segments: SegmentStore
  readonly matches: MatchStore
  readonly activations: ActivationStore
  readonly jobs: JobStore
  readonly clock: ClockStore
  /** Commits all writes of `work` together, or none if it throws. They are on disk when it returns. */
  transaction<T>(work: () => T): T
  /** Removes everything and restarts the numbering of ids. Atomic. */
  clear(): void
  /** Writes everything, as it is now, to a new file. */
  copyTo(file: string): void
  /** Replaces everything with a copy that `copyTo` wrote. Atomic. */
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

interface ClockStore {
  /** The stored state of the clock; undefined if the service uses the machine's time. */
  read(): ClockState | undefined
  write(state: ClockState): void
}

function createClockStore(db: DatabaseSync): ClockStore {
  const statement = statementsOf(db)
  const read = statement<ClockState>('SELECT offset_ms AS offsetMs, frozen_at AS frozenAt FROM service_clock')
  const write = statement(`INSERT INTO service_clock (id, offset_ms, frozen_at) VALUES (1, :offsetMs, :frozenAt)
      ON CONFLICT DO UPDATE SET offset_ms = excluded.offset_ms, frozen_at = excluded.frozen_at`)
  return {
    read: () => read.get({}),
    write: (state) => void write.run({ ...state }),
  }
}
