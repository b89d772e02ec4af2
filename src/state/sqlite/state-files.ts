import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AudienceError } from '../../core/errors.ts'
import { STATE_REPLACED } from '../state-damage.ts'

/** Why writes no longer reach the state. */
interface StateTrouble {
  readonly error: AudienceError
  /** Whether closing the database may still help: it saves the contents of a removed log. */
  readonly mayClose: boolean
}

/** Watches the files of an open state: they may be removed or replaced. */
export interface StateFiles {
  /** Undefined while all is well. Makes two file system calls; once there is a problem, it stays. */
  trouble(): StateTrouble | undefined
}

/** Remembers the files of an open state. */
export function rememberStateFiles(folder: string): StateFiles {
  const file = join(folder, 'runs.db')
  const log = `${file}-wal`
  const known = { file: identityOf(file), log: identityOf(log) }
  let found: StateTrouble | undefined

  function look(): StateTrouble | undefined {
    // Log first: a process that replaces both files starts with the database.
    const now = { log: identityOf(log), file: identityOf(file) }
    if (now.file === undefined) return { error: gone(file, 'was removed'), mayClose: false }
    if (now.file !== known.file) return { error: gone(file, 'was replaced by another file'), mayClose: false }
    if (now.log === known.log) return undefined
    // If there is another log, a process has opened the state meanwhile, and closing would overwrite its data.
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
  return new AudienceError({
    code: STATE_REPLACED,
    kind: 'failed',
    message: `${file} ${what} while the state was open: everything that this process writes now would be lost`,
    hint: 'end every process of this state, look with `audience state check`, restore the newest backup if it is damaged, and start again',
  })
}

function identityOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats && `${stats.dev} ${stats.ino}`
}

/** How long it waits for another process's write. */
const BUSY_MS = 1000
/** The shortest time between two writes, however often the probe is called. */
const LOOK_EVERY_MS = 5000

/**
 * Throws if the state cannot be written. It makes a small write that reaches the disk, because only a write detects a
 * full or read-only disk. `steadyMs` never goes back.
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
    const db = new DatabaseSync(join(stateFolder, 'runs.db'), { timeout: BUSY_MS })
    try {
      db.exec(`INSERT INTO checkpoints (name, value) VALUES ('health.probe', 1)
        ON CONFLICT (name) DO UPDATE SET value = (value + 1) % 1000000`)
    } finally {
      db.close()
    }
    return undefined
  } catch (error) {
    return error
  }
}
