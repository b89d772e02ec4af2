import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { codeOf } from '../../core/code-of.ts'
import { AudienceError, failedError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import { explainTrouble } from '../../platform/explain-trouble.ts'
import { giveName } from '../../platform/give-name.ts'
import { makeOwnFolder } from '../../platform/own-folder.ts'
import { syncToDisk } from '../../platform/sync-to-disk.ts'
import { isDamage, stateDamaged } from '../state-damage.ts'
import { SQLITE_MIGRATIONS } from './migrations.ts'
import { isLocked, stateLocked } from './state-locked.ts'

/** The version of the state that this code reads and writes. */
export const STATE_VERSION = SQLITE_MIGRATIONS.length

/** Opens the state database `runs.db` in a folder, and creates both if they are missing. */
export function openState(folder: string): DatabaseSync {
  const file = join(folder, 'runs.db')
  try {
    makeOwnFolder(folder)
    const stats = statSync(file, { throwIfNoEntry: false })
    checkFiles(file, stats)
    if (!stats) createStateFile(file)
    const db = new DatabaseSync(file, { timeout: 5000 })
    try {
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      migrate(db, file)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    if (error instanceof AudienceError) throw error
    if (isDamage(error)) throw stateDamaged(file, messageOf(error), error)
    if (isLocked(error)) throw stateLocked(file, error)
    const { why, repair = IN_ITS_PLACE[codeOf(error) ?? ''] } = explainTrouble(error, folder)
    throw new AudienceError({
      code: 'state-unreadable',
      kind: 'failed',
      message: `the state in ${file} cannot be opened: ${why}`,
      hint: `nothing was changed; ${repair ?? 'check the folder, restore a backup'}, or name another folder with AUDIENCE_STATE`,
      cause: error,
    })
  }
}

/** Hints for errors that leave the state intact, so that no restore is needed. */
const IN_ITS_PLACE: Readonly<Record<string, string>> = {
  ENOTDIR: 'there is a file where the folder should be: move it away',
  EEXIST: 'there is a file, or a link that leads nowhere, where the folder should be: move it away',
}

/**
 * Throws if a file is empty, or if only the log exists. A new state is never like this, because it is created under a
 * temporary name and gets its name when it is complete (`createStateFile`).
 */
export function checkFiles(file: string, stats: { size: number } | undefined): void {
  if (stats?.size === 0) throw stateDamaged(file, 'the file is empty, but a state is never empty')
  if (!stats && statSync(`${file}-wal`, { throwIfNoEntry: false })?.size)
    throw stateDamaged(file, 'the file is missing, but its log runs.db-wal is there')
}

/** Creates the tables of a state in an empty database. */
export function makeTables(db: DatabaseSync): void {
  applyMigrations(db, 0)
}

/**
 * The content of a new state file, once this process has made one. It is reused, because making its tables takes most
 * of the time.
 */
let newState: Uint8Array | undefined

function createStateFile(file: string): void {
  const aside = `${file}.${randomUUID()}.new`
  try {
    // The state contains the inputs of runs, so only the owner may read it. The files next to it get the same mode.
    writeFileSync(aside, newState ?? '', { flag: 'wx', mode: 0o600 })
    if (!newState) {
      makeTablesIn(aside)
      newState = readFileSync(aside)
    }
    syncToDisk(aside)
    giveName(aside, file)
    syncToDisk(dirname(file))
  } catch (error) {
    rmSync(aside, { force: true })
    // Another process may have created it at the same moment.
    if (!existsSync(file)) throw error
  }
}

/** Makes the tables in one transaction without journal or sync. If it fails, no state is left. */
function makeTablesIn(file: string): void {
  using db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
  makeTables(db)
  db.exec('COMMIT')
}

function migrate(db: DatabaseSync, file: string): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
    if (version > SQLITE_MIGRATIONS.length) {
      throw failedError(
        'state-too-new',
        `the state in ${file} was written by a newer version (${version}; this one knows ${SQLITE_MIGRATIONS.length})`,
        'nothing was changed; use the newer version, or name another folder with AUDIENCE_STATE',
      )
    }
    requireState(db, file, version)
    applyMigrations(db, version)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/**
 * Throws if the database belongs to another program, because it must not get our tables. A state always has a version
 * and a table of runs.
 */
export function requireState(db: DatabaseSync, file: string, version: number): void {
  const find = db.prepare(
    "SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table' AND name IN ('runs', 'owners')",
  )
  if (version > 0 && find.get()?.tables === 2) return
  throw failedError(
    'not-a-state',
    `${file} is a database of another program, not a state`,
    'nothing was changed; move it away, restore a backup, or name another folder with AUDIENCE_STATE',
  )
}

function applyMigrations(db: DatabaseSync, version: number): void {
  if (version === SQLITE_MIGRATIONS.length) return
  db.exec(`${SQLITE_MIGRATIONS.slice(version).flat().join(';\n')};\nPRAGMA user_version = ${SQLITE_MIGRATIONS.length}`)
}
