import { DatabaseSync } from 'node:sqlite'

/**
 * A lock on a file that ends with the process that holds it, however that ends. Node has no file locks of its own;
 * SQLite's are the system's.
 */
export interface InstanceLock {
  release(): void
}

/** Takes the lock, or returns undefined when another process has it. The folder has to be there. */
export function takeInstanceLock(file: string): InstanceLock | undefined {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (isBusy(error)) return undefined
    throw error
  }
  return { release: () => db.close() }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}
