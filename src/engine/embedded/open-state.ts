import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AudienceError } from '../../core/errors.ts'
import { MIGRATIONS } from './migrations.ts'

/** The version of the state that this code reads and writes. */
export const STATE_VERSION = MIGRATIONS.length

/** Opens the state database `runs.db` in a folder, and makes both where they are missing. */
export function openState(folder: string): DatabaseSync {
  const file = join(folder, 'runs.db')
  try {
    makeFolder(folder)
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
    throw new AudienceError({
      code: 'state-unreadable',
      kind: 'failed',
      message: `the state in ${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'nothing was changed; check the folder, restore a backup, or name another one with AUDIENCE_STATE',
      cause: error,
    })
  }
}

function migrate(db: DatabaseSync, file: string): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
    if (version > MIGRATIONS.length) {
      throw new AudienceError({
        code: 'state-too-new',
        kind: 'failed',
        message: `the state in ${file} was written by a newer version (${version}; this one knows ${MIGRATIONS.length})`,
        hint: 'nothing was changed; use the newer version, or name another folder with AUDIENCE_STATE',
      })
    }
    if (version < MIGRATIONS.length)
      db.exec(`${MIGRATIONS.slice(version).flat().join(';\n')};\nPRAGMA user_version = ${MIGRATIONS.length}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Level by level: where nothing can be made, as under /proc, Node's own recursive way never comes to an end. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it at the same moment.
    if (!existsSync(folder)) throw error
  }
}
