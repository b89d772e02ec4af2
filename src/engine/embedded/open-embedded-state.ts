import type { Journal } from '../../core/journal.ts'
import type { Ledger } from '../../core/ledger.ts'
import { createCommitQueue } from './commit-queue.ts'
import { openState } from './open-state.ts'
import { registerOwner } from './owners.ts'
import { createSqliteJournal, type Redact } from './sqlite-journal.ts'
import { createSqliteLedger } from './sqlite-ledger.ts'

/** Journal and ledger in one SQLite file in a folder; closing the journal closes both. */
export function openEmbeddedState(options: {
  readonly folder: string
  readonly redact: Redact
  /** Milliseconds since 1970, for leases. */
  readonly now: () => number
}): { readonly journal: Journal; readonly ledger: Ledger } {
  const db = openState(options.folder)
  const queue = createCommitQueue(db)
  const state = { db, queue, redact: options.redact }
  return {
    journal: createSqliteJournal({ ...state, owner: registerOwner(db, options.now) }),
    ledger: createSqliteLedger(state),
  }
}
