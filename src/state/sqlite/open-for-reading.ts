import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { sqliteCode } from '../../core/code-of.ts'
import { failedError } from '../../core/errors.ts'

/** A read-only database. */
export interface ReadDatabase {
  readonly db: DatabaseSync
  /** Throws `state-changed` if the database was read without locks and another process has written in the meantime. */
  close(): void
}

/**
 * SQLite's result codes for "cannot create the files beside the database": SQLITE_READONLY, IOERR, FULL and CANTOPEN.
 */
const CANNOT_WRITE: ReadonlySet<number> = new Set([8, 10, 13, 14])

/**
 * Opens a database for reading, even if nothing can be written, for example on a full disk or in a read-only folder.
 * SQLite shares `runs.db-shm` with the processes that write. If that file can be neither used nor created, no process
 * on this machine can be writing. In that case, the database is read without locks, together with changes that a killed
 * process left in `runs.db-wal`.
 */
export function openForReading(file: string): ReadDatabase {
  try {
    const db = opened(new DatabaseSync(file, { readOnly: true, timeout: 5000 }))
    return { db, close: () => db.close() }
  } catch (error) {
    const code = sqliteCode(error)
    if (code === undefined || !CANNOT_WRITE.has(code)) throw error
  }
  return openWithoutLocks(file)
}

/** Does work on a database that is open for reading, and closes it. Throws what `openForReading` and `close` throw. */
export function whileReading<T>(file: string, work: (db: DatabaseSync) => T): T {
  const { db, close } = openForReading(file)
  try {
    return work(db)
  } finally {
    close()
  }
}

function openWithoutLocks(file: string): ReadDatabase {
  const before = looks(file)
  const wal = statSync(`${file}-wal`, { throwIfNoEntry: false })
  const url = pathToFileURL(file)
  // If a log exists, its index must be built in memory. SQLite does this only in exclusive mode.
  url.search = wal && wal.size > 0 ? '?mode=ro&vfs=unix-none' : '?immutable=1'
  const db = new DatabaseSync(url, { readOnly: true })
  if (wal && wal.size > 0) db.exec('PRAGMA locking_mode = EXCLUSIVE')
  opened(db)
  return {
    db,
    close() {
      db.close()
      if (looks(file) === before) return
      throw failedError(
        'state-changed',
        `the state in ${file} was written while it was read, and could not be locked`,
        'what was printed may be wrong: repeat the command',
      )
    },
  }
}

/** Reads something from the database, because opening alone reads nothing and so finds no errors. */
function opened(db: DatabaseSync): DatabaseSync {
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Describes the files. The text changes when another process writes. */
function looks(file: string): string {
  return [file, `${file}-wal`]
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
      return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : 'none'
    })
    .join('; ')
}
