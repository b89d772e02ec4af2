import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type AudienceError, failedError } from '../../core/errors.ts'
import { STATE_REPLACED } from '../state-damage.ts'

/** Why writes no longer reach the state. */
interface StateTrouble {
  readonly error: AudienceError
  /** Whether it is still safe to close the database. Closing saves the contents of a removed log. */
  readonly mayClose: boolean
}

/** Watches the files of an open state, which may be removed or replaced. */
export interface StateFiles {
  /**
   * Returns undefined while nothing is wrong. Makes two file system calls. Once there is a problem, it always reports
   * this problem.
   */
  trouble(): StateTrouble | undefined
}

/** Remembers the files of an open state. */
export function rememberStateFiles(folder: string): StateFiles {
  const file = join(folder, 'runs.db')
  const log = `${file}-wal`
  const known = { file: identityOf(file), log: identityOf(log) }
  let found: StateTrouble | undefined

  function look(): StateTrouble | undefined {
    // The log is checked first, because a process that replaces both files starts with the database.
    const now = { log: identityOf(log), file: identityOf(file) }
    if (now.file === undefined) return { error: gone(file, 'was removed'), mayClose: false }
    if (now.file !== known.file) return { error: gone(file, 'was replaced by another file'), mayClose: false }
    if (now.log === known.log) return undefined
    // If there is a different log, another process has opened the state in the meantime, and closing would overwrite
    // its data.
    return now.log === undefined
      ? { error: gone(log, 'was removed'), mayClose: true }
      : { error: gone(log, 'was replaced by another file'), mayClose: false }
  }

  return {
    trouble() {
      found ??= look()
      return found
    },
  }
}

function gone(file: string, what: string): AudienceError {
  return failedError(
    STATE_REPLACED,
    `${file} ${what} while the state was open: everything that this process writes now would be lost`,
    'end every process that uses this state, run `audience state check`, restore the newest backup if the state is damaged, and start again',
  )
}

function identityOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats && `${stats.dev} ${stats.ino}`
}

/** How long the probe waits for another process to finish writing. */
const BUSY_MS = 1000
/** The shortest time between two writes of the probe, however often it is called. */
const LOOK_EVERY_MS = 5000

/**
 * Makes a probe, a function that throws if the state cannot be written. The probe makes a small write that reaches the
 * disk, because only a write detects a full or read-only disk. `steadyMs` is a clock that never goes back.
 */
export function createStateProbe(stateFolder: string, steadyMs: () => number): () => void {
  let last: { readonly atMs: number; readonly error: unknown } | undefined
  return () => {
    const now = steadyMs()
    if (!last || now - last.atMs >= LOOK_EVERY_MS) last = { atMs: now, error: tryToWrite(stateFolder) }
    if (last.error !== undefined) throw last.error
  }
}

function tryToWrite(stateFolder: string): unknown {
  try {
    using db = new DatabaseSync(join(stateFolder, 'runs.db'), { timeout: BUSY_MS })
    db.exec(`INSERT INTO checkpoints (name, value) VALUES ('health.probe', 1)
      ON CONFLICT (name) DO UPDATE SET value = (value + 1) % 1000000`)
    return undefined
  } catch (error) {
    return error
  }
}
