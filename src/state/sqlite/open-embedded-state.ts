import type { DatabaseSync } from 'node:sqlite'
import type { AudienceError } from '../../core/errors.ts'
import type { Redact } from '../../core/secrets.ts'
import { LOCAL_PROFILE } from '../../core/service-ref.ts'
import { LONGEST_TIMER_MS } from '../../platform/clock.ts'
import type { Journal } from '../journal.ts'
import type { ServiceAtHand } from '../service-at-hand.ts'
import type { ListReads, State } from '../state.ts'
import { createAddAct, createSqliteAuditLog } from './audit-rows.ts'
import { createCommitQueue } from './commit-queue.ts'
import { openState } from './open-state.ts'
import { createOwner } from './owners.ts'
import { createRunPacking } from './pack-runs.ts'
import { createRunRemoval } from './remove-runs.ts'
import { createRunReads } from './run-reads.ts'
import { createSqliteClaims } from './sqlite-claims.ts'
import { createSqliteJournal } from './sqlite-journal.ts'
import { createSqliteMadeThings } from './sqlite-made-things.ts'
import { createSqliteOccurrenceStore } from './sqlite-occurrence-store.ts'
import { createSqliteOutbox } from './sqlite-outbox.ts'
import { readsHere } from './sqlite-run-history.ts'
import { createSqliteSql } from './sqlite-sql.ts'
import { createSqliteStepMemory } from './sqlite-step-memory.ts'
import { rememberStateFiles, type StateFiles } from './state-files.ts'
import { createStateProbe } from './state-probe.ts'
import { type Machine, thisMachine } from './this-machine.ts'

/** The state of the embedded engine, and what that engine alone needs. */
export interface EmbeddedState extends State {
  readonly journal: Journal
  /** Why writes no longer reach the state; undefined while they do. */
  readonly trouble: () => AudienceError | undefined
}

/** The state in one SQLite file in a folder; closing the journal closes all. */
export function openEmbeddedState(options: {
  readonly folder: string
  readonly redact: Redact
  /** Milliseconds since 1970, for leases. */
  readonly now: () => number
  /** The machine that this process runs on, unless given. */
  readonly machine?: Machine
  /** The service of its runs: runs of other services are left alone. */
  readonly here?: ServiceAtHand
  /** The service that the profile itself names, without the environment. */
  readonly meantByProfile?: string
  /** Answers these reads elsewhere: they can take long. */
  readonly lists?: ListReads
}): EmbeddedState {
  const { folder, redact, here = { profile: LOCAL_PROFILE }, machine = thisMachine() } = options
  const db = openState(folder)
  const files = rememberStateFiles(folder)
  const queue = createCommitQueue(db, files)
  const addAct = createAddAct(db, options)
  const brief = { db, queue, steadyMs: machine.steady }
  const state = { db, queue, sql: createSqliteSql(db, queue), redact, here, addAct }
  const owner = createOwner(db, options.now, machine)
  const reads = createRunReads(db, owner.living, here)
  const probe = createStateProbe(folder, machine.steady)
  const journal = createSqliteJournal({
    ...{ ...state, owner, reads },
    close: () => closeUnlessReplaced(db, files),
  })
  return {
    journal,
    runs: {
      ...readsHere(reads),
      ...options.lists,
      remove: createRunRemoval(brief),
      pack: createRunPacking(brief),
      send: journal.send,
    },
    occurrences: createSqliteOccurrenceStore(state),
    outbox: createSqliteOutbox(state),
    memory: createSqliteStepMemory({ ...state, meantByProfile: options.meantByProfile }),
    claims: createSqliteClaims({ db, queue, owner, here }),
    made: createSqliteMadeThings({ ...state, meantByProfile: options.meantByProfile }),
    audit: createSqliteAuditLog(state),
    async ping() {
      // The probe must not recreate what was removed.
      const trouble = files.trouble()
      if (trouble) throw trouble.error
      probe()
    },
    async close() {
      journal.close()
    },
    trouble: () => files.trouble()?.error,
  }
}

/**
 * Closing removes `runs.db-wal` by its name. If that file is now the log of another database, closing would destroy it.
 */
function closeUnlessReplaced(db: DatabaseSync, files: StateFiles): void {
  const trouble = files.trouble()
  if (!trouble || trouble.mayClose) db.close()
  // The garbage collector would close an unreferenced database.
  else setInterval(() => db.isOpen, LONGEST_TIMER_MS).unref()
}
