import type { Pool } from 'pg'
import type { SteadyClock } from '../../core/clock.ts'
import { DAY_MS, HOUR_MS } from '../../core/duration.ts'
import type { Redact } from '../../core/secrets.ts'
import { LOCAL_PROFILE, type RecordedService, type ServiceAtHand } from '../../core/service-ref.ts'
import { createAddAct } from '../sql/audit.ts'
import { createClaims } from '../sql/claims.ts'
import { createRunActs } from '../sql/run-acts.ts'
import { adoptEntries } from '../sql/step-memory.ts'
import { createStores, readsForOthers } from '../sql/stores.ts'
import { send } from '../sql/work.ts'
import type { ReadableState, State, StateAround } from '../state.ts'
import { databasePlace } from './connect.ts'
import { createDatabase, createPostgresSql, type Database, doWork } from './database.ts'
import { postgresOccurrenceDialect } from './occurrence-dialect.ts'
import { openPool } from './open-pool.ts'
import { createPostgresRunRemoval } from './remove-runs.ts'
import { postgresReads } from './run-reads.ts'
import { createWorkers, listWorkers } from './worker-rows.ts'

/** A state in PostgreSQL, with what the engine needs. */
export interface PostgresState extends State {
  readonly pool: Pool
  readonly db: Database
  /** Removes secrets, and characters that text in PostgreSQL cannot contain. */
  readonly redact: Redact
}

const CONNECTIONS = 10

/** Opens a migrated state. Throws the same errors as `openPool`. */
export async function openPostgresState(options: {
  url: string
  redact: Redact
  clock: SteadyClock
  /** The service of this process. Runs of other services are left alone. */
  here?: ServiceAtHand
  /** The service that the profile itself names, ignoring the environment. */
  meantByProfile?: string
}): Promise<PostgresState> {
  const { url, clock, here = { profile: LOCAL_PROFILE }, meantByProfile } = options
  // JSON text never contains this character unescaped, but other texts, such as an error from a service, may.
  const redact = (text: string) => options.redact(text).replaceAll('\0', '\uFFFD')
  const pool = await openPool({ url, max: CONNECTIONS })
  const db = createDatabase(pool, databasePlace(url))
  const sql = createPostgresSql(db)
  const addAct = createAddAct({ now: clock.now, redact })
  try {
    if (meantByProfile !== undefined)
      await doWork(db.query, adoptEntries({ profile: here.profile, service: meantByProfile }))
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    pool,
    db,
    redact,
    runs: {
      ...readsForOthers(postgresReads(here), sql.read),
      remove: createPostgresRunRemoval(db, clock.steady),
      // Records are not packed, because that would write each of them twice.
      pack: () => mergeHours(db, clock.now),
      ...createRunActs(sql, { redact, addAct, lock: lockRun }),
    },
    ...createStores(sql, { redact, addAct, here, dialect: postgresOccurrenceDialect(redact), lock: lockName }),
    claims: createClaims(sql, here, {
      fence: 'epoch',
      isOpen: 'finished_at IS NULL',
      isCurrent: 'EXISTS (SELECT 1 FROM audience.runs WHERE runs.run_id = claims.run_id AND runs.epoch = claims.fence)',
    }),
    workers: createWorkers(db, addAct),
    async ping() {
      await db.query(
        `INSERT INTO audience.checkpoints (name, value) VALUES ('health.probe', 1)
          ON CONFLICT (name) DO UPDATE SET value = (checkpoints.value + 1) % 1000000`,
      )
    },
    close: () => pool.end(),
  }
}

/** A command needs only a few connections at a time. */
const READ_CONNECTIONS = 4

/**
 * Opens a state for reading. The role needs only the right to read, and nothing is written. Throws the same errors as
 * `openPool`.
 */
export async function openReadableDatabase(
  url: string,
  { clock }: Pick<StateAround, 'clock'>,
  here: RecordedService = { profile: '' },
): Promise<ReadableState> {
  const pool = await openPool({ url, max: READ_CONNECTIONS, readOnly: true })
  const db = createDatabase(pool, databasePlace(url))
  const sql = createPostgresSql(db)
  const redact = (text: string) => text
  const addAct = createAddAct({ now: clock.now, redact })
  return {
    runs: readsForOthers(postgresReads(here), sql.read),
    ...createStores(sql, { redact, addAct, here, dialect: postgresOccurrenceDialect(redact) }),
    workers: { list: () => listWorkers(db) },
    close: () => pool.end(),
  }
}

const lockRun = (runId: string) => send('SELECT 1 FROM audience.runs WHERE run_id = $1 FOR NO KEY UPDATE', [runId])
const lockName = (name: string) => send('SELECT pg_advisory_xact_lock(hashtext($1))', [name])

const AT_ONCE = 1000
/** Only a few runs take longer than this to end. */
const BUSY_MS = 2 * DAY_MS

/**
 * Adds up the counts that workers keep in their own rows: old rows, and rows of workers that are no longer alive. Does
 * not wait for any worker. Returns whether there may be more rows.
 */
async function mergeHours(db: Database, now: () => number): Promise<boolean> {
  const row = await db.row(
    `WITH found AS (
        SELECT pipeline, hour, status, executor FROM audience.run_hours
        WHERE executor <> '' AND (hour < $1 OR NOT EXISTS (
          SELECT 1 FROM audience.workers WHERE workers.executor = run_hours.executor AND expires_at > now()))
        LIMIT $2 FOR UPDATE SKIP LOCKED),
      gone AS (
        DELETE FROM audience.run_hours AS counted USING found
        WHERE (counted.pipeline, counted.hour, counted.status, counted.executor)
          = (found.pipeline, found.hour, found.status, found.executor)
        RETURNING counted.hour, counted.pipeline, counted.status, counted.runs),
      merged AS (
        INSERT INTO audience.run_hours AS known (hour, pipeline, status, executor, runs)
        SELECT hour, pipeline, status, '', sum(runs) FROM gone GROUP BY hour, pipeline, status ORDER BY 1, 2, 3
        ON CONFLICT (pipeline, hour, status, executor) DO UPDATE SET runs = known.runs + excluded.runs)
      SELECT count(*) AS rows FROM gone`,
    [Math.floor((now() - BUSY_MS) / HOUR_MS), AT_ONCE],
  )
  return Number(row?.rows) === AT_ONCE
}
