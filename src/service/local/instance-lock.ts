import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * A lock on a file that ends with the process that holds it, however that ends. Node has no file locks of its own;
 * SQLite's are the system's.
 */
export interface InstanceLock {
  release(): void
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Takes the lock, or returns undefined when another process has it, after waiting `waitMs` for it. The folder has to be there.
 */
export function takeInstanceLock(file: string, { waitMs = 0 } = {}): InstanceLock | undefined {
  makeFile(file)
  const db = new DatabaseSync(file, { timeout: waitMs })
  try {
    // Not with locking_mode EXCLUSIVE: of two who ask at the same moment each would keep what the other one waits for.
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (isBusy(error)) return undefined
    throw error
  }
  // Of a lock that nobody refers to any more, the garbage collector would close the file: a timer refers to it.
  const kept = setInterval(() => db.isOpen, LONGEST_TIMER_MS).unref()
  return {
    release() {
      clearInterval(kept)
      if (db.isOpen) db.close()
    },
  }
}

/**
 * Whether a process has the lock. Writes nothing; who takes the lock in this very moment may have to wait for a moment.
 * Throws where that may not be known.
 */
export function isInstanceLocked(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })) return false
  const db = new DatabaseSync(file, { readOnly: true, timeout: 0 })
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    db.close()
  }
}

/** Nobody else may open it, not even for a lock. One that is there is not opened: closing it would end this process's lock. */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It is there, or the database says why it cannot be.
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}
