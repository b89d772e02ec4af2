import type { RecordedService } from '../../core/service-ref.ts'
import { createAddAct } from '../sql/audit.ts'
import { readsForOthers } from '../sql/reads-for-others.ts'
import { createStores } from '../sql/stores.ts'
import type { ReadableState, StateAround } from '../state.ts'
import { createDatabase, createPostgresSql } from './database.ts'
import { occurrenceWords } from './occurrence-words.ts'
import { openPool } from './open-pool.ts'
import { placeOf } from './place-of.ts'
import { postgresReads } from './run-reads.ts'
import { listWorkers } from './worker-rows.ts'

/** A command needs only a few connections at a time. */
const CONNECTIONS = 4

/**
 * Opens a state for reading. The role needs only the right to read, and nothing is written. Throws the same errors as
 * `openPool`.
 */
export async function openReadableDatabase(
  url: string,
  { clock }: Pick<StateAround, 'clock'>,
  here: RecordedService = { profile: '' },
): Promise<ReadableState> {
  const pool = await openPool({ url, max: CONNECTIONS, readOnly: true })
  const db = createDatabase(pool, placeOf(url))
  const sql = createPostgresSql(db)
  const redact = (text: string) => text
  const addAct = createAddAct({ now: clock.now, redact })
  return {
    runs: readsForOthers(postgresReads(here), sql.read),
    ...createStores(sql, { redact, addAct, here, words: occurrenceWords(redact) }),
    workers: { list: () => listWorkers(db) },
    close: () => pool.end(),
  }
}
