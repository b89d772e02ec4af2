import type { DatabaseSync } from 'node:sqlite'
import type { CommitQueue } from './commit-queue.ts'

/** What is needed for work on ended runs. Such work happens while this process is working on other runs. */
export interface BriefDeps {
  readonly db: DatabaseSync
  readonly queue: Pick<CommitQueue, 'commitAlone'>
  /** A clock in milliseconds that never goes back. */
  readonly steadyMs: () => number
}

/**
 * A transaction that holds the write lock only briefly, because it does not wait for the disk. The checkpoint after it
 * waits for the disk without the lock. A crash of the machine may undo the whole transaction.
 */
export function briefTransaction<T>({ db, queue }: BriefDeps, work: () => T): T {
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  let value: T
  try {
    value = queue.commitAlone(work)
  } finally {
    db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000')
  }
  db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  return value
}
