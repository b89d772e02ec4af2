import type { DatabaseSync } from 'node:sqlite'
import type { AudienceError } from '../../core/errors.ts'
import { LOCAL_PROFILE } from '../../core/service-ref.ts'
import type { Journal } from '../journal.ts'
import type { OccurrenceStore } from '../occurrence-store.ts'
import type { Outbox } from '../outbox.ts'
import type { StepMemory } from '../step-memory.ts'
import { createCommitQueue } from './commit-queue.ts'
import { openState } from './open-state.ts'
import { createOwner } from './owners.ts'
import type { ServiceAtHand } from './service-at-hand.ts'
import { createSqliteJournal, type Redact } from './sqlite-journal.ts'
import { createSqliteOccurrenceStore } from './sqlite-occurrence-store.ts'
import { createSqliteOutbox } from './sqlite-outbox.ts'
import { createSqliteStepMemory } from './sqlite-step-memory.ts'
import { rememberStateFiles, type StateFiles } from './state-files.ts'
import { type Machine, thisMachine } from './this-machine.ts'

/** Journal, occurrences, step memory and outbox in one SQLite file in a folder; closing the journal closes all. */
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
}): {
  readonly journal: Journal
  readonly stepMemory: StepMemory
  readonly triggers: OccurrenceStore
  readonly outbox: Outbox
  /** Why writes no longer reach the state; undefined while they do. */
  readonly trouble: () => AudienceError | undefined
} {
  const db = openState(options.folder)
  const files = rememberStateFiles(options.folder)
  const queue = createCommitQueue(db, files)
  const state = { db, queue, redact: options.redact, here: options.here ?? { profile: LOCAL_PROFILE } }
  const machine = options.machine ?? thisMachine()
  const owner = createOwner(db, options.now, machine)
  return {
    journal: createSqliteJournal({
      ...state,
      owner,
      steadyMs: machine.steady,
      close: () => closeUnlessReplaced(db, files),
    }),
    stepMemory: createSqliteStepMemory({ ...state, meantByProfile: options.meantByProfile }),
    triggers: createSqliteOccurrenceStore(state),
    outbox: createSqliteOutbox(state),
    trouble: () => files.trouble()?.error,
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Closing removes `runs.db-wal` by its name. If that file is now the log of another database, closing would destroy it.
 */
function closeUnlessReplaced(db: DatabaseSync, files: StateFiles): void {
  const trouble = files.trouble()
  if (!trouble || trouble.mayClose) db.close()
  // The garbage collector would close an unreferenced database.
  else setInterval(() => db.isOpen, LONGEST_TIMER_MS).unref()
}
