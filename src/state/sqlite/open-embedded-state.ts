import type { DatabaseSync } from 'node:sqlite'
import type { AudienceError } from '../../core/errors.ts'
import type { Redact } from '../../core/secrets.ts'
import { LOCAL_PROFILE, type ServiceAtHand } from '../../core/service-ref.ts'
import { keep } from '../../platform/keep.ts'
import type { Journal } from '../journal.ts'
import { createAddAct } from '../sql/audit.ts'
import { createClaims } from '../sql/claims.ts'
import { createRunActs } from '../sql/run-acts.ts'
import { adoptEntries } from '../sql/step-memory.ts'
import { createStores, readsForOthers, readsOf } from '../sql/stores.ts'
import type { ListReads, State, StateAround } from '../state.ts'
import { createCommitQueue } from './commit-queue.ts'
import { createRunPacking, createSqliteRunRemoval } from './ended-runs.ts'
import { sqliteOccurrenceDialect } from './occurrence-dialect.ts'
import { openState } from './open-state.ts'
import { createOwner } from './owners.ts'
import { sqliteReads } from './run-reads.ts'
import { createSqliteJournal, type SyncReads } from './sqlite-journal.ts'
import { createSqliteSql } from './sqlite-sql.ts'
import { createStateProbe, rememberStateFiles, type StateFiles } from './state-files.ts'

/** The state of the embedded engine, with everything that only this engine needs. */
export interface EmbeddedState extends State {
  readonly journal: Journal
  /** Why writes no longer reach the state; undefined while they reach it. */
  readonly trouble: () => AudienceError | undefined
}

/** Opens the state in one SQLite file in a folder. Closing the journal closes everything. */
export function openEmbeddedState(
  options: StateAround & {
    folder: string
    redact: Redact
    /** The service of this process. Runs of other services are left alone. */
    here?: ServiceAtHand
    /** The service that the profile itself names, ignoring the environment. */
    meantByProfile?: string
    /** Answers these reads in another thread, because they can take a long time. */
    lists?: ListReads
  },
): EmbeddedState {
  const { folder, redact, clock, here = { profile: LOCAL_PROFILE } } = options
  const db = openState(folder)
  const files = rememberStateFiles(folder)
  const queue = createCommitQueue(db, files)
  const sql = createSqliteSql(db, queue)
  const addAct = createAddAct({ now: clock.now, redact })
  const brief = { db, queue, steadyMs: clock.steady }
  const owner = createOwner(db, options)
  const reads = sqliteReads(db, owner.living, here)
  if (options.meantByProfile !== undefined)
    sql.now(adoptEntries({ profile: here.profile, service: options.meantByProfile }))
  const probe = createStateProbe(folder, clock.steady)
  const journal = createSqliteJournal({
    ...{ db, queue, sql, redact, here, addAct, owner, reads: readsOf<SyncReads>(reads, sql.now) },
    close: () => closeUnlessReplaced(db, files),
  })
  return {
    journal,
    runs: {
      ...readsForOthers(reads, sql.read),
      ...options.lists,
      remove: createSqliteRunRemoval(brief),
      pack: createRunPacking(brief),
      ...createRunActs(sql, { redact, addAct }),
    },
    ...createStores(sql, { redact, addAct, here, dialect: sqliteOccurrenceDialect(redact) }),
    // The fence is the owner, because a process that takes a run over is a different owner.
    claims: createClaims(sql, here, {
      fence: 'owner',
      isOpen: `finished_at IS NULL AND owner = '${owner.id}'`,
      isCurrent: `fence = '${owner.id}'`,
    }),
    async ping() {
      // The probe must not recreate removed files.
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
 * Closes the database. Closing removes `runs.db-wal` by its name, so it would destroy the log of another database that
 * has replaced this one.
 */
function closeUnlessReplaced(db: DatabaseSync, files: StateFiles): void {
  const trouble = files.trouble()
  if (!trouble || trouble.mayClose) db.close()
  else keep(db)
}
