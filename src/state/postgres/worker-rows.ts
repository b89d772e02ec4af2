import type { AddAct } from '../sql/audit.ts'
import type { Row } from '../sql/work.ts'
import { type WorkerRow, type Workers, workerName } from '../worker-row.ts'
import { type Database, doWork, lockAll } from './database.ts'

/** The prefix of the queue name of a process that works only on its own runs. */
export const OWN_QUEUE = 'own-'

/** The answer to a heartbeat. */
export interface Beat {
  /** False if others have taken the lease away. In that case, this process must stop. */
  readonly isAlive: boolean
  readonly isKeeper: boolean
  /** Whether there are workers whose lease has expired. */
  readonly someExpired: boolean
  /** Whether runs are waiting in a queue. */
  readonly someQueued: boolean
  /** Whether this process should take no new runs. */
  readonly isDraining: boolean
  /** Whether a living worker that is not draining takes runs from the same queue. */
  readonly hasOthers: boolean
}

/** The leases of the processes, all by the clock of the database. */
export interface WorkerRows {
  register(
    worker: Pick<WorkerRow, 'executor' | 'host' | 'pid' | 'version'> & {
      protocol: number
      queue: string
    },
  ): Promise<void>
  /**
   * Renews the lease of a process. With `keeps`, also renews the role of the keeper, or takes the role if nobody has
   * it. A draining process leaves the role to others, if there are any.
   */
  beat(executor: string, options: { keeps: boolean }): Promise<Beat>
  /** Ends the lease, so that others may take over immediately. */
  expire(executor: string): Promise<void>
  list(): Promise<readonly WorkerRow[]>
  /** The processes whose rows still exist. */
  registered(): Promise<readonly string[]>
  /** The processes whose lease has not ended. */
  living(): Promise<readonly string[]>
  /** The protocols of the living workers. */
  protocols(): Promise<readonly number[]>
  /**
   * Calls `work` for each worker whose lease has expired, or only for the worker `only`, then removes the worker. Skips
   * workers that another process is handling now. If `work` rejects, the worker stays.
   */
  bury(work: (executor: string) => Promise<void>, only?: string): Promise<void>
}

export function createWorkerRows(db: Database, leaseMs: number): WorkerRows {
  const lease = `now() + ${leaseMs} * interval '1 millisecond'`
  return {
    async register({ executor, host, pid, version, protocol, queue }) {
      await db.query(
        `INSERT INTO audience.workers (executor, host, pid, version, protocol, queue, started_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, now(), ${lease})`,
        [executor, host, pid, version, String(protocol), queue],
      )
    },
    async beat(executor, { keeps }) {
      const row = await db.row(
        `WITH renewed AS (
             UPDATE audience.workers SET expires_at = ${lease} WHERE executor = $1 RETURNING executor, queue, draining_since),
           beat AS (
             SELECT executor, draining_since IS NOT NULL AS is_draining, EXISTS (
               SELECT 1 FROM audience.workers AS other WHERE ${TAKES_FROM('renewed')}) AS has_others FROM renewed),
           keeper AS (
             INSERT INTO audience.roles AS held (role, executor, expires_at)
             SELECT 'keeper', executor, ${lease} FROM beat WHERE $2 AND NOT (is_draining AND has_others)
             ON CONFLICT (role) DO UPDATE SET executor = excluded.executor, expires_at = excluded.expires_at
             WHERE held.executor = excluded.executor OR held.expires_at <= now() RETURNING role)
         SELECT EXISTS (SELECT 1 FROM beat) AS is_alive, (SELECT is_draining FROM beat) AS is_draining,
           (SELECT has_others FROM beat) AS has_others, EXISTS (SELECT 1 FROM keeper) AS is_keeper,
           EXISTS (SELECT 1 FROM audience.workers WHERE expires_at <= now() AND executor <> $1) AS some_expired,
           EXISTS (SELECT 1 FROM audience.runs WHERE status = 'queued') AS some_queued`,
        [executor, keeps],
      )
      return {
        isAlive: row?.is_alive === true,
        isKeeper: row?.is_keeper === true,
        someExpired: row?.some_expired === true,
        someQueued: row?.some_queued === true,
        isDraining: row?.is_draining === true,
        hasOthers: row?.has_others === true,
      }
    },
    async expire(executor) {
      await db.query(
        `WITH role AS (DELETE FROM audience.roles WHERE executor = $1)
         UPDATE audience.workers SET expires_at = now() WHERE executor = $1`,
        [executor],
      )
    },
    list: () => listWorkers(db),
    registered: async () => (await db.rows('SELECT executor FROM audience.workers')).map(executorOf),
    living: async () => (await db.rows(`SELECT executor FROM ${LIVING}`)).map(executorOf),
    protocols: async () =>
      (await db.rows(`SELECT DISTINCT protocol FROM ${LIVING}`)).map(({ protocol }) => Number(protocol)),
    async bury(work, only) {
      await db.transaction(async (query) => {
        const { rows } = await query(
          `SELECT executor FROM audience.workers WHERE expires_at <= now() AND ($1::text IS NULL OR executor = $1)
           FOR UPDATE SKIP LOCKED`,
          [only ?? null],
        )
        for (const { executor } of rows) {
          await work(String(executor))
          // If another process takes a run in the meantime, the run stays with that process. All other runs are queued
          // for any worker.
          await query(
            `UPDATE audience.runs SET executor = NULL
              WHERE executor = $1 AND finished_at IS NULL AND status <> 'queued'`,
            [executor],
          )
          await query('DELETE FROM audience.workers WHERE executor = $1', [executor])
        }
      })
    },
  }
}

const LIVING = 'audience.workers WHERE expires_at > now()'
const executorOf = ({ executor }: Row) => String(executor)

/** The SQL condition that another living process takes runs from the queue of this worker. */
const TAKES_FROM = (worker: string) => `other.queue = ${worker}.queue AND other.executor <> ${worker}.executor
  AND other.expires_at > now() AND other.draining_since IS NULL`

/** The SQL condition that a living process takes runs that it did not submit. Processes of version 1 may do so. */
export const TAKES_RUNS = `expires_at > now() AND draining_since IS NULL AND queue NOT LIKE '${OWN_QUEUE}%'`

const DRAIN = `UPDATE audience.workers AS mine SET draining_since = now()
  WHERE executor = $1 AND expires_at > now() AND draining_since IS NULL
    AND EXISTS (SELECT 1 FROM audience.workers AS other WHERE ${TAKES_FROM('mine')})`
const UNDRAIN = `UPDATE audience.workers SET draining_since = NULL
  WHERE executor = $1 AND expires_at > now() AND draining_since IS NOT NULL`

/** The processes that share the state, as people see and control them. */
export function createWorkers(db: Database, addAct: AddAct): Workers {
  const change =
    (statement: string, act: 'worker.drain' | 'worker.undrain'): Workers['drain'] =>
    (worker, actor) =>
      db.transaction(async (query) => {
        // Otherwise, if two workers started to drain at the same time, each would rely on the other.
        await lockAll(query, ['drain'])
        const { changes } = await query(statement, [worker.executor])
        if (changes === 0) return false
        await doWork(query, addAct({ ...actor, act, subject: workerName(worker), outcome: 'done' }))
        return true
      })
  return {
    list: () => listWorkers(db),
    drain: change(DRAIN, 'worker.drain'),
    undrain: change(UNDRAIN, 'worker.undrain'),
  }
}

/** The processes that work on runs, oldest first. */
export async function listWorkers(db: Pick<Database, 'rows'>): Promise<readonly WorkerRow[]> {
  return (
    await db.rows(
      `SELECT workers.*, (extract(epoch FROM started_at) * 1000)::bigint AS started,
             (extract(epoch FROM expires_at) * 1000)::bigint AS expires,
             (extract(epoch FROM draining_since) * 1000)::bigint AS draining,
             (SELECT count(*) FROM audience.runs
               WHERE runs.executor = workers.executor AND finished_at IS NULL AND status <> 'queued') AS runs,
             EXISTS (SELECT 1 FROM audience.roles WHERE roles.executor = workers.executor) AS keeper
           FROM audience.workers ORDER BY started_at, executor`,
    )
  ).map(workerOf)
}

function workerOf(row: Row): WorkerRow {
  return {
    executor: String(row.executor),
    host: String(row.host),
    pid: Number(row.pid),
    version: String(row.version),
    startedAt: Number(row.started),
    expiresAt: Number(row.expires),
    runs: Number(row.runs),
    keeper: row.keeper === true,
    takes: String(row.queue).startsWith(OWN_QUEUE) ? 'own' : 'all',
    queue: row.queue === '' ? undefined : String(row.queue),
    drainingSince: row.draining === null ? undefined : Number(row.draining),
  }
}
