import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { sqliteCode } from '../core/code-of.ts'
import { keep } from './keep.ts'

/**
 * A lock on a file that ends with the process that holds it, however the process ends. Node has no file locks; SQLite
 * uses the operating system's.
 */
export interface InstanceLock {
  release(): void
}

/** Takes the lock, or returns undefined if another process still has it after `waitMs`. The folder must exist. */
export function takeInstanceLock(file: string, { waitMs = 0 } = {}): InstanceLock | undefined {
  makeFile(file)
  const db = new DatabaseSync(file, { timeout: waitMs })
  try {
    // This does not use locking_mode EXCLUSIVE, because two processes that ask at the same moment would each hold what
    // the other is waiting for.
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (sqliteCode(error) === BUSY) return undefined
    throw error
  }
  const forget = keep(db)
  return {
    release() {
      forget()
      if (db.isOpen) db.close()
    },
  }
}

/**
 * Whether a process has the lock. Writes nothing; a process that takes the lock at the same moment may have to wait
 * briefly. Throws if this cannot be determined.
 */
export function isInstanceLocked(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })) return false
  const db = new DatabaseSync(file, { readOnly: true, timeout: 0 })
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (sqliteCode(error) === BUSY) return true
    throw error
  } finally {
    db.close()
  }
}

/**
 * Creates the file with access for its owner only: others may not open it, not even for a lock. An existing file is not
 * opened, because closing it would end this process's lock.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // The file exists, or the database reports why it cannot exist.
  }
}

/** SQLite's result code for a file that another process has locked, SQLITE_BUSY. */
const BUSY = 5
