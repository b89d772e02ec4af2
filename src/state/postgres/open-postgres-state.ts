import type { Pool } from 'pg'
import type { Redact } from '../../core/secrets.ts'
import { LOCAL_PROFILE } from '../../core/service-ref.ts'
import type { ServiceAtHand } from '../service-at-hand.ts'
import type { State } from '../state.ts'
import { createAddAct, createAuditLog } from './audit-rows.ts'
import { createDatabase, type Database } from './database.ts'
import { mergeHours } from './merge-hours.ts'
import { openPool } from './open-pool.ts'
import { placeOf } from './place-of.ts'
import { createClaims } from './postgres-claims.ts'
import { adoptMade, createMadeThings } from './postgres-made-things.ts'
import { createOccurrenceStore } from './postgres-occurrence-store.ts'
import { createOutbox } from './postgres-outbox.ts'
import { adoptMemory, createStepMemory } from './postgres-step-memory.ts'
import { createRunRemoval } from './remove-runs.ts'
import { runLists } from './run-lists.ts'
import { runLookups } from './run-lookups.ts'
import { createSend } from './send-message.ts'

/** The state in a PostgreSQL, and what its engine needs. */
export interface PostgresState extends State {
  readonly pool: Pool
  readonly db: Database
  /** Removes secrets, and what a text of PostgreSQL cannot hold. */
  readonly redact: Redact
}

const CONNECTIONS = 10

/** Opens a state that is migrated. Throws as `openPool`. */
export async function openPostgresState(options: {
  readonly url: string
  readonly redact: Redact
  /** Milliseconds since 1970, for the audit log. */
  readonly now: () => number
  /** The service of its runs: runs of other services are left alone. */
  readonly here?: ServiceAtHand
  /** The service that the profile itself names, without the environment. */
  readonly meantByProfile?: string
}): Promise<PostgresState> {
  const { url, now, here = { profile: LOCAL_PROFILE }, meantByProfile } = options
  // JSON has no such character as it is; other texts, such as an error of a service, may have one.
  const redact = (text: string) => options.redact(text).replaceAll('\0', '\uFFFD')
  const pool = await openPool({ url, max: CONNECTIONS })
  const db = createDatabase(pool, placeOf(url))
  const addAct = createAddAct({ now, redact })
  try {
    if (meantByProfile !== undefined) {
      await adoptMemory(db, here.profile, meantByProfile)
      await adoptMade(db, here.profile, meantByProfile)
    }
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    pool,
    db,
    redact,
    runs: {
      ...runLookups(db),
      ...runLists(db, here),
      remove: createRunRemoval(db, () => performance.now()),
      // Records stay as they are: packing would write each of them twice.
      pack: () => mergeHours(db, now),
      send: createSend(db, { redact, addAct }),
    },
    occurrences: createOccurrenceStore(db, { redact, addAct }),
    outbox: createOutbox(db, redact),
    memory: createStepMemory(db, { redact, here }),
    claims: createClaims(db, { here }),
    made: createMadeThings(db, { redact, here }),
    audit: createAuditLog(db, addAct),
    async ping() {
      await db.query(
        `INSERT INTO audience.checkpoints (name, value) VALUES ('health.probe', 1)
          ON CONFLICT (name) DO UPDATE SET value = (checkpoints.value + 1) % 1000000`,
      )
    },
    close: () => pool.end(),
  }
}
