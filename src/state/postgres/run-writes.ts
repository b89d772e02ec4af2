import type { SteadyClock } from '../../core/clock.ts'
import type { Submission } from '../../core/engine.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import type { Admission, NewRun } from '../journal.ts'
import type { RunHistory, SentMessage } from '../run-history.ts'
import type { RunStore } from '../run-store.ts'
import { sentMessages } from '../sql/messages.ts'
import { recordedService } from '../sql/run-row.ts'
import type { Row } from '../sql/work.ts'
import { admitRuns } from './admit-runs.ts'
import { AppendQueue } from './append-queue.ts'
import { askTogether } from './ask-together.ts'
import { type Database, doWork, type Query } from './database.ts'
import { recordsOf } from './run-reads.ts'
import { submitRun, type WritesDeps } from './submit-run.ts'
import { throughOutages } from './through-outages.ts'

/** An answer about ownership becomes invalid this many milliseconds before the lease ends. */
const LEASE_MARGIN_MS = 300
/** The number of runs whose records are read at a time. The records can be long. */
const MOST_READ = 16
const MOST_TAKEN = 200

/**
 * How one process of a distributed engine writes runs. Each time a process takes a run up, the run's epoch rises. A
 * process with an older epoch can no longer write. Times are in milliseconds since 1970.
 */
export interface RunWrites extends RunStore {
  /** Submits a run, as in Journal. A run that is not queued is enqueued in the same transaction. */
  submit(run: NewRun): Promise<Submission>
  /** Admits runs, as in Journal. The runs are enqueued in the same transaction, but not taken up yet. */
  admit(admission: Pick<Admission, 'at' | 'room' | 'orphans'>): Promise<readonly string[]>
  /**
   * Takes a run up. From now on only this process writes its records. Returns `first` if no process has taken it up
   * before, so nothing was recorded since the run was enqueued. Returns `ended` if nothing is left to do.
   */
  takeUp(runId: string): Promise<'first' | 'again' | 'ended'>
  /** This process writes no more records of the run until it takes the run up again. */
  drop(runId: string): void
  /** Finds out where a run is; undefined if there is no such run. */
  find(runId: string): Promise<Whereabouts | undefined>
  /** Finds admitted, unfinished runs that this process or no living process owns. */
  unattended(limit: number): Promise<readonly Whereabouts[]>
  /** Finds out where these runs are. */
  findAll(runIds: readonly string[]): Promise<readonly Whereabouts[]>
  /**
   * Moves a run to the service of this process. From now on this process admits it if it is queued. If the run has
   * ended or a living process has it, returns false and changes nothing.
   */
  adopt(runId: string): Promise<boolean>
  /** The messages for runs of this process that have not been acknowledged yet, oldest first. */
  messages(): Promise<readonly SentMessage[]>
  acknowledge(id: number): Promise<void>
}

interface Whereabouts extends RecordedService {
  readonly runId: string
  readonly state: 'queued' | 'active' | 'ended'
  /** The process that has the run, if that process is alive. */
  readonly executor?: string
}

interface Deps extends WritesDeps {
  db: Database
  reads: Pick<RunHistory, 'lastSuccess' | 'guardValues'>
  clock: SteadyClock
  /** This process. */
  executor: string
  /** Whether other processes may work on the runs that this one submits. */
  shares: boolean
  /** Aborts when this process must no longer wait for the database. */
  signal: AbortSignal
  /** Hands a run to the processes that may work on it, within a transaction. */
  enqueue: (query: Query, runId: string) => Promise<void>
  /** Renews the lease of this process now. Rejects if others have taken it away. */
  renew: () => Promise<void>
}

export function createRunWrites(deps: Deps): RunWrites {
  const { db, reads, clock, executor, shares, here, enqueue } = deps
  const epochs = new Map<string, number>()
  const queue = new AppendQueue({ ...deps, epochs })
  let lastSubmit: Promise<unknown> = Promise.resolve()
  const row = (text: string, values: readonly unknown[]) => throughOutages(() => db.row(text, values), deps)
  const recordsTogether = askTogether(MOST_READ, (runIds) =>
    throughOutages(() => doWork(db.query, recordsOf(runIds)), deps),
  )
  const takeUpTogether = askTogether(MOST_TAKEN, async (runIds) => {
    while (true) {
      const rows = await throughOutages(() => db.rows(TAKE_UP, [runIds, executor]), deps)
      const taken = new Map(rows.map(({ run_id, epoch }) => [run_id, Number(epoch)]))
      if (rows[0]?.is_alive === true) return (runId) => taken.get(runId)
      await throughOutages(() => deps.renew(), deps)
    }
  })

  return {
    append: (runId, records, taken) => queue.append(runId, records, taken),
    records: (runId, after) =>
      after === undefined
        ? recordsTogether(runId)
        : throughOutages(async () => (await doWork(db.query, recordsOf([runId], after)))(runId), deps),
    lastSuccess: async (pipeline) => (await throughOutages(() => reads.lastSuccess(pipeline), deps))?.runId,
    guardValues: (filter) => throughOutages(() => reads.guardValues(filter), deps),
    async owns(runId) {
      const epoch = epochs.get(runId)
      while (epoch !== undefined) {
        const asked = clock.steady()
        const lease = await row(LEASE_OF_RUN, [runId, epoch, executor])
        if (!lease) return false
        // No other process can take the run before the lease ends, so the answer holds until then.
        const until = asked + Number(lease.left_ms) - LEASE_MARGIN_MS
        const holds = () => clock.steady() < until
        if (holds()) return holds
        await throughOutages(() => deps.renew(), deps)
      }
      return false
    },
    submit(run) {
      const write = () =>
        db.transaction((query) => submitRun(query, run, { ...deps, owner: shares ? null : executor, enqueue }))
      if (!run.groups?.length) return write()
      // Submissions run in the same order as the calls, because this order decides the positions in a queue.
      const submitted = lastSubmit.then(write, write)
      lastSubmit = submitted.catch(() => undefined)
      return submitted
    },
    admit: (admission) =>
      db.transaction(async (query) => {
        const admitted = await admitRuns(query, admission, { ...deps, owner: executor })
        for (const runId of admitted) await enqueue(query, runId)
        return admitted
      }),
    async takeUp(runId) {
      const epoch = await takeUpTogether(runId)
      if (epoch === undefined) return 'ended'
      epochs.set(runId, epoch)
      return epoch === 1 ? 'first' : 'again'
    },
    drop: (runId) => void epochs.delete(runId),
    async find(runId) {
      const found = await db.row(`${WHEREABOUTS} WHERE run_id = $1`, [runId])
      return found && whereaboutsOf(found)
    },
    findAll: async (runIds) => (await db.rows(`${WHEREABOUTS} WHERE run_id = ANY($1)`, [runIds])).map(whereaboutsOf),
    async unattended(limit) {
      const rows = await db.rows(
        `${WHEREABOUTS} WHERE finished_at IS NULL AND status <> 'queued'
           AND (workers.executor IS NULL OR workers.executor = $1) ORDER BY run_id LIMIT $2`,
        [executor, limit],
      )
      return rows.map(whereaboutsOf)
    },
    async adopt(runId) {
      const { changes } = await db.query(
        `UPDATE audience.runs SET profile = $2, service = coalesce($3, service),
           executor = CASE WHEN status = 'queued' THEN $4 ELSE executor END
         WHERE run_id = $1 AND finished_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM audience.workers WHERE workers.executor = runs.executor AND expires_at > now())`,
        [runId, here.profile, here.service ?? null, shares ? null : executor],
      )
      return changes > 0
    },
    messages: async () => sentMessages(await db.rows(MESSAGES, [executor])),
    async acknowledge(id) {
      await db.query('DELETE FROM audience.messages WHERE id = $1', [id])
    },
  }
}

const LEASE_OF_RUN = `SELECT extract(epoch FROM expires_at - now()) * 1000 AS left_ms
  FROM audience.runs JOIN audience.workers USING (executor) WHERE run_id = $1 AND epoch = $2 AND executor = $3`

/** Only a process with a lease takes a run up. A process that was paused may have lost the run in the meantime. */
const TAKE_UP = `WITH alive AS (SELECT 1 FROM audience.workers WHERE executor = $2 AND expires_at > now()),
    open AS (
      SELECT run_id FROM audience.runs WHERE run_id = ANY($1) AND finished_at IS NULL AND EXISTS (SELECT 1 FROM alive)
      ORDER BY run_id FOR NO KEY UPDATE),
    taken AS (
      UPDATE audience.runs SET epoch = epoch + 1, executor = $2 FROM open WHERE runs.run_id = open.run_id
      RETURNING runs.run_id, epoch)
  SELECT is_alive, run_id, epoch
  FROM (SELECT EXISTS (SELECT 1 FROM alive) AS is_alive) AS lease LEFT JOIN taken ON true`

const WHEREABOUTS = `SELECT run_id, status, finished_at, profile, service, workers.executor AS living
  FROM audience.runs LEFT JOIN audience.workers ON workers.executor = runs.executor AND expires_at > now()`

const MESSAGES = `SELECT id, run_id, data FROM audience.messages JOIN audience.runs USING (run_id)
  WHERE executor = $1 ORDER BY id`

function whereaboutsOf(row: Row): Whereabouts {
  const isEnded = row.finished_at !== null
  return {
    runId: String(row.run_id),
    state: isEnded ? 'ended' : row.status === 'queued' ? 'queued' : 'active',
    executor: row.living === null ? undefined : String(row.living),
    ...recordedService(row),
  }
}
