import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AudienceError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import type { ReadableState } from '../state.ts'
import { isDamage, stateDamaged, stateUnreadable } from '../state-damage.ts'
import { createAddAct, createSqliteAuditLog } from './audit-rows.ts'
import { createCommitQueue } from './commit-queue.ts'
import { openForReading, type ReadDatabase } from './open-for-reading.ts'
import { checkFiles, makeTables, STATE_VERSION } from './open-state.ts'
import { createOwner } from './owners.ts'
import { createRunReads } from './run-reads.ts'
import { createSqliteMadeThings } from './sqlite-made-things.ts'
import { createSqliteOccurrenceStore } from './sqlite-occurrence-store.ts'
import { createSqliteOutbox } from './sqlite-outbox.ts'
import { readsHere } from './sqlite-run-history.ts'
import { createSqliteStepMemory } from './sqlite-step-memory.ts'
import { isLocked, stateLocked } from './state-locked.ts'
import { thisMachine } from './this-machine.ts'

/**
 * Opens the state of a folder without a write: it creates no folder and no table, registers no owner, and ends no
 * owner. A missing state reads as an empty one. Throws `state-other-version`, `state-damaged` and `state-unreadable`.
 * Reads of one service's runs and memory need `here`.
 */
export function openReadableState(
  folder: string,
  now: () => number,
  here: RecordedService = { profile: '' },
): ReadableState {
  const file = join(folder, 'runs.db')
  try {
    // A folder that may not be read is not treated as empty.
    const stats = statSync(file, { throwIfNoEntry: false })
    checkFiles(file, stats)
    const read = stats ? openForReading(file) : emptyState()
    try {
      checkVersion(read.db, file)
      return readableState(read, now, here)
    } catch (error) {
      read.db.close()
      throw error
    }
  } catch (error) {
    throw readFailure(file, error)
  }
}

/** Converts an error from reading the state to one for people. */
export function readFailure(file: string, error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  if (isDamage(error)) return stateDamaged(file, messageOf(error), error)
  if (isLocked(error)) return stateLocked(file, error)
  return stateUnreadable(file, error)
}

function emptyState(): ReadDatabase {
  const db = new DatabaseSync(':memory:')
  makeTables(db)
  return { db, close: () => db.close() }
}

function readableState({ db, close }: ReadDatabase, now: () => number, here: RecordedService): ReadableState {
  const queue = createCommitQueue(db)
  const redact = (text: string) => text
  const state = { db, queue, redact, here, addAct: createAddAct(db, { now, redact }) }
  const reads = createRunReads(db, createOwner(db, now, thisMachine()).living, here)
  return {
    runs: readsHere(reads),
    occurrences: createSqliteOccurrenceStore(state),
    outbox: createSqliteOutbox(state),
    memory: createSqliteStepMemory({ ...state, meantByProfile: undefined }),
    made: createSqliteMadeThings({ ...state, meantByProfile: undefined }),
    audit: createSqliteAuditLog(state),
    async close() {
      if (db.isOpen) close()
    },
  }
}

export function checkVersion(db: DatabaseSync, file: string): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (version === STATE_VERSION) return
  const isNewer = version > STATE_VERSION
  throw new AudienceError({
    code: 'state-other-version',
    kind: 'failed',
    message: `the state in ${file} was written by ${isNewer ? 'a newer' : 'an older'} version (${version}; this one reads ${STATE_VERSION})`,
    hint: isNewer
      ? 'use the newer version'
      : '`audience start` brings it up to date, and so does any command that works on runs; make a backup first: audience backup FILE',
  })
}
