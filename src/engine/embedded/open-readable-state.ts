import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AudienceError } from '../../core/errors.ts'
import type { Journal } from '../../core/journal.ts'
import type { Outbox } from '../../core/outbox.ts'
import type { TriggerLedger } from '../../core/trigger-ledger.ts'
import { createCommitQueue } from './commit-queue.ts'
import { STATE_VERSION } from './open-state.ts'
import { createSqliteJournal } from './sqlite-journal.ts'
import { createSqliteOutbox } from './sqlite-outbox.ts'
import { createSqliteTriggerLedger } from './sqlite-trigger-ledger.ts'
import { createStateSummary, type StateSummary } from './state-summary.ts'

/** The state for whoever only looks. */
export interface ReadableState {
  readonly journal: Pick<Journal, 'counts' | 'find' | 'list' | 'records' | 'lastSuccess'>
  readonly triggers: Pick<TriggerLedger, 'memories' | 'list'>
  readonly outbox: Pick<Outbox, 'counts'>
  readonly summary: StateSummary
  close(): void
}

/**
 * Opens the state of a folder without a write: no folder and no table is made, no process becomes an owner. Undefined
 * where there is no state yet. Throws `state-other-version`, and `state-unreadable` like `openState`.
 */
export function openReadableState(folder: string): ReadableState | undefined {
  const file = join(folder, 'runs.db')
  try {
    // A folder that may not be looked into is not taken for an empty one.
    if (!statSync(file, { throwIfNoEntry: false })) return undefined
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    try {
      checkVersion(db, file)
      return readableState(db)
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    if (error instanceof AudienceError) throw error
    throw stateUnreadable(file, error)
  }
}

export function stateUnreadable(file: string, cause: unknown): AudienceError {
  return new AudienceError({
    code: 'state-unreadable',
    kind: 'failed',
    message: `the state in ${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    hint: 'look at it as the user that audience start runs as, or name another folder with AUDIENCE_STATE',
    cause,
  })
}

function readableState(db: DatabaseSync): ReadableState {
  const queue = createCommitQueue(db)
  const state = { db, queue, redact: (text: string) => text, profile: '' }
  const nobody = { id: '', isRegistered: () => false, living: () => [], close: () => undefined }
  return {
    journal: createSqliteJournal({ ...state, owner: nobody }),
    triggers: createSqliteTriggerLedger(state),
    outbox: createSqliteOutbox(state),
    summary: createStateSummary(db),
    close() {
      if (db.isOpen) db.close()
    },
  }
}

function checkVersion(db: DatabaseSync, file: string): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (version === STATE_VERSION) return
  const isNewer = version > STATE_VERSION
  throw new AudienceError({
    code: 'state-other-version',
    kind: 'failed',
    message: `the state in ${file} was written by ${isNewer ? 'a newer' : 'an older'} version (${version}; this one reads ${STATE_VERSION})`,
    hint: isNewer
      ? 'use the newer version'
      : '`audience start`, or any command that works on runs, brings it up to date; make a backup before',
  })
}
