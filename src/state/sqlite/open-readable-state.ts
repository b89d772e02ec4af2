import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AudienceError, failedError, usageError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import { createAddAct } from '../sql/audit.ts'
import { createStores, readsForOthers } from '../sql/stores.ts'
import type { ReadableState, StateAround } from '../state.ts'
import { isDamage, stateDamaged, stateUnreadable } from '../state-damage.ts'
import { createCommitQueue } from './commit-queue.ts'
import { sqliteOccurrenceDialect } from './occurrence-dialect.ts'
import { openForReading, type ReadDatabase } from './open-for-reading.ts'
import { checkFiles, makeTables, requireState, STATE_VERSION } from './open-state.ts'
import { createOwner } from './owners.ts'
import { sqliteReads } from './run-reads.ts'
import { createSqliteSql } from './sqlite-sql.ts'
import { isLocked, stateLocked } from './state-locked.ts'

/**
 * Opens the state of a folder without writing: it creates no folder and no table, registers no owner, and ends no
 * owner. A missing state reads like an empty one. Throws `state-other-version`, `state-damaged` and `state-unreadable`.
 * `here` is needed to read the runs and the memory of one service.
 */
export function openReadableState(
  folder: string,
  around: StateAround,
  here: RecordedService = { profile: '' },
): ReadableState {
  return openWith(folder, emptyState, (read) => readableState(read, around, here))
}

/**
 * Opens the database of a state folder as it is at this moment, to read its rows. Throws `no-state`, and the errors
 * that `openReadableState` throws.
 */
export function openSource(folder: string): ReadDatabase {
  const missing = () => {
    throw noState(folder)
  }
  return openWith(folder, missing, (source) => {
    source.db.exec('BEGIN')
    return source
  })
}

/**
 * Opens the database of a folder, or the one that `missing` returns if there is no state. If `work` throws, the
 * database is closed.
 */
function openWith<T>(folder: string, missing: () => ReadDatabase, work: (read: ReadDatabase) => T): T {
  const file = join(folder, 'runs.db')
  try {
    // A folder that cannot be read is not treated as empty.
    const stats = statSync(file, { throwIfNoEntry: false })
    checkFiles(file, stats)
    const read = stats ? openForReading(file) : missing()
    try {
      checkVersion(read.db, file)
      return work(read)
    } catch (error) {
      read.db.close()
      throw error
    }
  } catch (error) {
    throw readFailure(file, error)
  }
}

export function noState(folder: string): AudienceError {
  return usageError(
    'no-state',
    `there is no state in ${folder}`,
    'run the command in the folder with audience.yaml, or name the state folder with AUDIENCE_STATE',
  )
}

/** Converts an error from reading the state to an error for people. */
export function readFailure(file: string, error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  if (isDamage(error)) return stateDamaged(file, messageOf(error), error)
  if (isLocked(error)) return stateLocked(file, error)
  return stateUnreadable(file, error)
}

/** All readers of this process share one empty database, because making its tables takes longer than most reads. */
let empty: DatabaseSync | undefined

function emptyState(): ReadDatabase {
  if (!empty) {
    empty = new DatabaseSync(':memory:')
    makeTables(empty)
    empty.exec('PRAGMA query_only = ON')
  }
  return { db: empty, close: () => undefined }
}

function readableState({ db, close }: ReadDatabase, around: StateAround, here: RecordedService): ReadableState {
  const sql = createSqliteSql(db, createCommitQueue(db))
  const redact = (text: string) => text
  const addAct = createAddAct({ now: around.clock.now, redact })
  const reads = sqliteReads(db, createOwner(db, around).living, here)
  return {
    runs: readsForOthers(reads, sql.read),
    ...createStores(sql, { redact, addAct, here, dialect: sqliteOccurrenceDialect(redact) }),
    async close() {
      if (db.isOpen) close()
    },
  }
}

function checkVersion(db: DatabaseSync, file: string): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (version <= STATE_VERSION) requireState(db, file, version)
  if (version === STATE_VERSION) return
  const isNewer = version > STATE_VERSION
  throw failedError(
    'state-other-version',
    `the state in ${file} was written by ${isNewer ? 'a newer' : 'an older'} version (${version}; this one reads ${STATE_VERSION})`,
    isNewer
      ? 'use the newer version'
      : '`audience start` brings it up to date, as does any command that works on runs; make a backup first: audience backup FILE',
  )
}
