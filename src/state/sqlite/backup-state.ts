import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { AudienceError, usageError } from '../../core/errors.ts'
import { explainTrouble } from '../../platform/explain-trouble.ts'
import { giveName } from '../../platform/give-name.ts'
import { syncToDisk } from '../../platform/sync-to-disk.ts'
import { isDamage, stateDamaged } from '../state-damage.ts'
import { openForReading } from './open-for-reading.ts'
import { noState, readFailure } from './open-readable-state.ts'
import { checkFiles } from './open-state.ts'

export interface Backup {
  readonly runs: number
  readonly bytes: number
}

/**
 * All pages are copied at once, so the copy shows the state at one moment even if others write in the meantime, and no
 * process has to wait.
 */
const ALL_PAGES = 2 ** 31 - 1

/**
 * Copies the state database of a folder to a new file, even while a daemon writes to it. Any version of the state can
 * be copied. The copy is checked before it gets its name. Throws `no-state`, `file-exists` or `backup-failed`. In that
 * case, there is no new file.
 */
export async function backupState(folder: string, file: string): Promise<Backup> {
  const source = join(folder, 'runs.db')
  if (!isThere(source)) throw noState(folder)
  if (existsSync(file)) {
    throw usageError(
      'file-exists',
      `${file} already exists`,
      'give the copy another name, such as one with the date in it',
    )
  }
  const aside = `${file}.${randomUUID()}.partial`
  try {
    await copy(source, aside)
    const runs = check(aside, source)
    syncToDisk(aside)
    giveName(aside, file)
    syncToDisk(dirname(file))
    return { runs, bytes: statSync(file).size }
  } catch (error) {
    rmSync(aside, { force: true })
    if (isDamage(error)) throw readFailure(source, error)
    const { why, repair = 'check that the folder of the copy exists and is writable' } = explainTrouble(
      error,
      dirname(file),
    )
    throw new AudienceError({
      code: 'backup-failed',
      kind: 'failed',
      message: `${source} cannot be copied to ${file}: ${why}`,
      hint: `${repair}; the state itself was not changed`,
      cause: error,
    })
  }
}

function isThere(source: string): boolean {
  try {
    const stats = statSync(source, { throwIfNoEntry: false })
    checkFiles(source, stats)
    return stats !== undefined
  } catch (error) {
    throw readFailure(source, error)
  }
}

async function copy(source: string, target: string): Promise<void> {
  const { db, close } = openForReading(source)
  try {
    // The copy contains the inputs of runs, so only the owner may read it.
    closeSync(openSync(target, 'wx', 0o600))
    await backup(db, target, { rate: ALL_PAGES })
  } finally {
    close()
  }
}

/** Reads the whole copy and returns the number of runs in it. If the copy is damaged, the state itself is damaged. */
function check(file: string, source: string): number {
  using db = new DatabaseSync(file)
  // The journal mode of the original would create extra files next to the copy.
  db.exec('PRAGMA journal_mode = DELETE')
  const found = db.prepare('PRAGMA integrity_check').get()?.integrity_check
  if (found !== 'ok') throw stateDamaged(source, String(found).split('\n').join('; '))
  return Number(db.prepare('SELECT count(*) AS runs FROM runs').get()?.runs)
}
