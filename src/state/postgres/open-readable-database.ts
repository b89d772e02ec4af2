import type { RecordedService } from '../../core/service-ref.ts'
import type { ReadableState } from '../state.ts'
import { createAddAct, createAuditLog } from './audit-rows.ts'
import { createDatabase } from './database.ts'
import { openPool } from './open-pool.ts'
import { placeOf } from './place-of.ts'
import { createMadeThings } from './postgres-made-things.ts'
import { createOccurrenceStore } from './postgres-occurrence-store.ts'
import { createOutbox } from './postgres-outbox.ts'
import { createStepMemory } from './postgres-step-memory.ts'
import { runLists } from './run-lists.ts'
import { runLookups } from './run-lookups.ts'
import { listWorkers } from './worker-rows.ts'

/** A command asks for few things at a time. */
const CONNECTIONS = 4

/** Opens a state for reading only: its role needs the right to read, and nothing is written. Throws as `openPool`. */
export async function openReadableDatabase(
  url: string,
  here: RecordedService = { profile: '' },
): Promise<ReadableState> {
  const pool = await openPool({ url, max: CONNECTIONS, readOnly: true })
  const db = createDatabase(pool, placeOf(url))
  const redact = (text: string) => text
  const addAct = createAddAct({ now: Date.now, redact })
  return {
    runs: { ...runLookups(db), ...runLists(db, here) },
    occurrences: createOccurrenceStore(db, { redact, addAct }),
    outbox: createOutbox(db, redact),
    memory: createStepMemory(db, { redact, here }),
    made: createMadeThings(db, { redact, here }),
    audit: createAuditLog(db, addAct),
    workers: () => listWorkers(db),
    close: () => pool.end(),
  }
}
