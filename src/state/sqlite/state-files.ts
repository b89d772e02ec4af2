import { statSync } from 'node:fs'
import { join } from 'node:path'
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
