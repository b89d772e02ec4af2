import type { DatabaseSync } from 'node:sqlite'
import type { JobStatus } from '../../contract/enumerations.ts'
import type { JobRequest, JobSummary, StoredJob, WorkResult } from '../jobs/job.ts'
import { statementsOf } from './statement.ts'

interface NewJob {
  readonly participant: number
  readonly status: JobStatus
  readonly dueAt: number | null
  readonly segmentId: string
  readonly matchId?: string | undefined
  /** The stored file that the work of the job reads. It is kept while the job is active. */
  readonly reads?: string | undefined
  readonly request: JobRequest
  readonly at: number
}

export interface JobStore {
  /** Adds a job and returns its id. A job that creates a match gives its own id to the match (decision 71). */
  insert(job: NewJob): string
  find(id: string): StoredJob | undefined
  /**
   * The part of a job that its participant reads. Leaves out the data for the work, because clients ask for summaries
   * all the time.
   */
  findSummary(id: string): JobSummary | undefined
  /** Jobs whose time has come, longest wait first: either jobs with work to do now, or jobs that only move on. */
  due(now: number, options: { work: boolean; limit: number }): StoredJob[]
  /** The next time after `now` when a job moves on automatically. */
  nextDueAfter(now: number): number | undefined
  advance(id: string, to: { status: JobStatus; phase: number; work: boolean; dueAt: number | null; at: number }): void
  recordResult(id: string, result: WorkResult): void
  end(
    id: string,
    to: { status: JobStatus; failure?: string | undefined; activationId?: string | undefined; at: number },
  ): void
  /** Active jobs that work on the segment, including those of its matches and activations. */
  activeOnSegment(segmentId: string): StoredJob[]
  /** Active jobs that work on the match or activate it. */
  activeOnMatch(matchId: string): StoredJob[]
  /** Newest first. */
  report(filter: JobFilter, limit: number): JobReport[]
  /** Holds a job: it does not move on automatically, whatever phase it enters. */
  hold(id: string): void
  release(id: string, dueAt: number | null): void
  /** Lets a job move on at `at`, even if it is held. */
  setDue(id: string, at: number): void
  isReading(file: string): boolean
  isActive(id: string): boolean
  /** Forgets cached reads. Call it after all rows have been replaced. */
  forgetRead(): void
}

interface JobFilter {
  readonly id?: string | undefined
  readonly status?: string | undefined
  readonly participant?: number | undefined
  readonly kind?: string | undefined
  readonly active?: boolean | undefined
}

/** Everything about a job, for the operator of the service. Times are in milliseconds since 1970. */
interface JobReport extends JobSummary, Pick<StoredJob, 'active' | 'held' | 'dueAt' | 'createdAt'> {
  readonly failure: string | null
  readonly changedAt: number
}

type Flags = 'active' | 'held'
type Row = Omit<StoredJob, Flags | 'request' | 'result'> &
  Record<Flags, number> & { request: string; result: string | null }
type ReportRow = Omit<JobReport, Flags> & Record<Flags, number>

const SUMMARY = `CAST(id AS TEXT) AS id, participant, kind, status, segment_id AS segmentId,
  CAST(match_id AS TEXT) AS matchId, CAST(activation_id AS TEXT) AS activationId`
const COLUMNS = `${SUMMARY}, phase, active, held, due_at AS dueAt, request, result, created_at AS createdAt`

export function createJobStore(db: DatabaseSync): JobStore {
  const statement = statementsOf(db)
  const jobs = (sql: string) => statement(sql, storedJob)
  const insert = statement<{ id: string }>(`INSERT INTO jobs (participant, kind, status, phase, active, due_at,
      segment_id, match_id, reads, request, created_at, changed_at)
      VALUES (:participant, :kind, :status, 0, 1, :dueAt, :segmentId, :matchId, :reads, :request, :at, :at)
      RETURNING CAST(id AS TEXT) AS id`)
  const own = statement('UPDATE jobs SET match_id = id WHERE id = :id')
  const find = jobs(`SELECT ${COLUMNS} FROM jobs WHERE id = :id`)
  const summary = statement<JobSummary>(`SELECT ${SUMMARY} FROM jobs WHERE id = :id`)
  const summaries = createSummaryCache(db, (id) => summary.get({ id: BigInt(id) }))
  // The limit is `:limit + 0`, because SQLite recompiles a statement each time a bare `:limit` gets its value. This
  // statement runs for each step of a job.
  const due = jobs(`SELECT ${COLUMNS} FROM jobs WHERE due_at IS NOT NULL AND due_at <= :now AND work = :work
      ORDER BY due_at, jobs.id LIMIT :limit + 0`)
  // Usually no job is due. This statement takes much less time than selecting due jobs in order.
  const anyDue = statement('SELECT 1 FROM jobs WHERE due_at IS NOT NULL AND due_at <= :now AND work = :work LIMIT 1')
  const next = statement<{ dueAt: number | null }>(
    'SELECT MIN(due_at) AS dueAt FROM jobs WHERE due_at IS NOT NULL AND due_at > :now',
  )
  const advance = statement(`UPDATE jobs SET status = :status, phase = :phase, work = :work, changed_at = :at,
      due_at = CASE WHEN held THEN NULL ELSE :dueAt END WHERE id = :id`)
  const record = statement('UPDATE jobs SET result = :result, work = 0 WHERE id = :id')
  const end = statement(`UPDATE jobs SET status = :status, active = 0, held = 0, due_at = NULL, failure = :failure,
      activation_id = :activationId, changed_at = :at WHERE id = :id`)
  const onSegment = jobs(`SELECT ${COLUMNS} FROM jobs WHERE active = 1 AND segment_id = :segmentId`)
  const onMatch = jobs(`SELECT ${COLUMNS} FROM jobs WHERE active = 1 AND match_id = :matchId`)
  const report = statement(
    `SELECT ${SUMMARY}, active, held, due_at AS dueAt, failure, created_at AS createdAt, changed_at AS changedAt FROM jobs
      WHERE (:status IS NULL OR status = :status) AND (:participant IS NULL OR participant = :participant)
        AND (:id IS NULL OR jobs.id = :id) AND (:kind IS NULL OR kind = :kind) AND (:active IS NULL OR active = :active)
      ORDER BY jobs.id DESC LIMIT :limit`,
    (row: ReportRow): JobReport => ({ ...row, active: row.active === 1, held: row.held === 1 }),
  )
  const hold = statement('UPDATE jobs SET held = 1, due_at = NULL WHERE id = :id AND active = 1')
  const release = statement('UPDATE jobs SET held = 0, due_at = :dueAt WHERE id = :id AND active = 1')
  const setDue = statement('UPDATE jobs SET due_at = :at WHERE id = :id AND active = 1')
  const reading = statement('SELECT 1 FROM jobs WHERE active = 1 AND reads = :file')
  const active = statement('SELECT 1 FROM jobs WHERE active = 1 AND id = :id')

  return {
    insert({ request, matchId, ...job }) {
      const row = insert.get({
        ...job,
        reads: job.reads,
        matchId: matchId === undefined ? null : BigInt(matchId),
        kind: request.kind,
        request: JSON.stringify(request),
      })
      if (!row) throw new Error('inserting a job returned no id')
      if (request.kind === 'matches.create') own.run({ id: BigInt(row.id) })
      return row.id
    },
    find: (id) => find.get({ id: BigInt(id) }),
    findSummary: summaries.find,
    due: (now, { work, limit }) => (anyDue.get({ now, work }) ? due.all({ now, work, limit }) : []),
    nextDueAfter: (now) => next.get({ now })?.dueAt ?? undefined,
    advance(id, to) {
      summaries.forget(id)
      advance.run({ id: BigInt(id), ...to })
    },
    recordResult: (id, result) => void record.run({ id: BigInt(id), result: JSON.stringify(result) }),
    end(id, { status, failure, activationId, at }) {
      summaries.forget(id)
      end.run({
        id: BigInt(id),
        status,
        failure,
        at,
        activationId: activationId === undefined ? null : BigInt(activationId),
      })
    },
    forgetRead: summaries.clear,
    activeOnSegment: (segmentId) => onSegment.all({ segmentId }),
    activeOnMatch: (matchId) => onMatch.all({ matchId: BigInt(matchId) }),
    report: ({ id, status, participant, kind, active: isActive }, limit) =>
      report.all({ id: id === undefined ? undefined : BigInt(id), status, participant, kind, active: isActive, limit }),
    hold: (id) => void hold.run({ id: BigInt(id) }),
    release: (id, dueAt) => void release.run({ id: BigInt(id), dueAt }),
    setDue: (id, at) => void setDue.run({ id: BigInt(id), at }),
    isReading: (file) => reading.get({ file }) !== undefined,
    isActive: (id) => active.get({ id: BigInt(id) }) !== undefined,
  }
}

function storedJob(row: Row): StoredJob {
  return {
    ...row,
    active: row.active === 1,
    held: row.held === 1,
    request: JSON.parse(row.request),
    result: row.result === null ? null : JSON.parse(row.result),
  }
}

/** A cache of job summaries. Clients request them again and again while nothing changes. */
interface SummaryCache {
  find(id: string): JobSummary | undefined
  /** Forgets a summary. Call it before a write that changes the summary. */
  forget(id: string): void
  clear(): void
}

/** The maximum number of summaries in the cache. Each takes a few hundred bytes. */
const MOST = 10_000

/**
 * Makes the cache. It does not cache reads within a transaction, because the transaction may be rolled back. No other
 * process writes to the store, so a cached summary equals a fresh read.
 */
function createSummaryCache(
  db: Pick<DatabaseSync, 'isTransaction'>,
  read: (id: string) => JobSummary | undefined,
): SummaryCache {
  const kept = new Map<string, JobSummary>()
  return {
    find(id) {
      const known = kept.get(id)
      if (known) return known
      const row = read(id)
      // An id with leading zeros names the same job, but `forget` is called with the plain id.
      if (!row || row.id !== id || db.isTransaction) return row
      if (kept.size >= MOST) kept.clear()
      // A copy, because the properties of a SQLite row are slow to read.
      const summary = { ...row }
      kept.set(id, summary)
      return summary
    },
    forget: (id) => void kept.delete(id),
    clear: () => kept.clear(),
  }
}
