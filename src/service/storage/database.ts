import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { codeOf, sqliteCode } from '../../core/code-of.ts'
import { AudienceError, failedError } from '../../core/errors.ts'
import { explainTrouble } from '../../platform/explain-trouble.ts'
import { SERVICE_MIGRATIONS } from './migrations.ts'
import { inTransaction } from './statement.ts'

/**
 * Opens the store of the service and migrates its tables. This process locks the file while it is open, so two services
 * never share a data folder. Every commit is on disk when it returns. Throws AudienceError if another process has
 * locked the file, a newer version wrote it, or it cannot be used.
 */
export function openDatabase(file: string): DatabaseSync {
  makePrivate(file)
  try {
    return openMigrated(file)
  } catch (error) {
    const code = sqliteCode(error)
    if (code === SQLITE_BUSY) throw inUse(file, error)
    throw code === undefined ? error : unusable(file, error)
  }
}

function openMigrated(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrate(db, file)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Removes all rows and restarts the numbering of ids. */
export function emptyDatabase(db: DatabaseSync): void {
  inTransaction(db, () => {
    for (const table of tablesOf(db)) db.exec(`DELETE FROM main.${table}`)
  })
}

/** Writes a compact copy to a file that does not exist yet. */
export function copyDatabase(db: DatabaseSync, file: string): void {
  makePrivate(file)
  db.prepare('VACUUM INTO ?').run(file)
}

/**
 * Makes the file before SQLite does, because SQLite would make it readable by others. For SQLite, an empty file is a
 * database without tables, and can also be the target of a copy.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Replaces all rows with the rows of a copy, which may have an older version. */
export function replaceDatabase(db: DatabaseSync, file: string): void {
  openDatabase(file).close()
  db.prepare('ATTACH ? AS copy').run(file)
  try {
    inTransaction(db, () => {
      for (const table of tablesOf(db)) {
        db.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM copy.${table}`)
      }
    })
  } finally {
    db.exec('DETACH copy')
  }
}

/** All our tables that have rows, and the table in which SQLite keeps the last id of each table. */
function tablesOf(db: DatabaseSync): string[] {
  const tables = db
    .prepare(`SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
    .all()
  return [...tables.map(({ name }) => String(name)), 'sqlite_sequence']
}

function migrate(db: DatabaseSync, file: string): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (version > SERVICE_MIGRATIONS.length) {
    throw failedError(
      'store-too-new',
      `${file} was written by a newer version (${version}; this one knows ${SERVICE_MIGRATIONS.length})`,
      'update audience-pipelines, or point it at another data folder',
    )
  }
  for (const [index, sql] of SERVICE_MIGRATIONS.entries()) {
    if (index >= version) db.exec(`BEGIN; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`)
  }
}

const SQLITE_BUSY = 5

function unusable(file: string, cause: unknown): AudienceError {
  const { why, repair = 'check the permissions of its folder' } = explainTrouble(cause, dirname(file))
  return new AudienceError({
    code: 'store-unusable',
    kind: 'failed',
    message: `the data of the embedded service in ${file} cannot be used: ${why}`,
    hint: `${repair}, or name another folder with AUDIENCE_STATE`,
    cause,
  })
}

function inUse(file: string, cause: unknown): AudienceError {
  return new AudienceError({
    code: 'store-in-use',
    kind: 'unavailable',
    message: `${file} is in use by another process`,
    hint: 'use the service that is already running, or another data folder',
    cause,
  })
}
