import type { DatabaseSync } from 'node:sqlite'
import type { RunRecord } from '../../core/run.ts'
import { type RecordedService, requireSameService } from '../../core/service-ref.ts'
import type { Journal, RunFilter, RunRow } from '../journal.ts'
import { Conditions } from './conditions.ts'
import type { Owner } from './owners.ts'
import type { ServiceAtHand } from './service-at-hand.ts'

/**
 * The table `runs`: one row per run, with what lists and owners need. Methods that write must be called within a
 * transaction.
 */
export interface RunRows {
  insert(run: {
    runId: string
    pipeline: string
    status: 'running' | 'queued'
    at: number
    dedupeKey: string | undefined
  }): void
  byDedupeKey(key: string | undefined): string | undefined
  /** Throws `other-service`. */
  claim(runId: string): boolean
  release(runId: string): void
  /** Updates the row from a record. */
  follow(runId: string, at: number, record: RunRecord): void
  find(runId: string): RunRow | undefined
  list(filter: RunFilter): readonly RunRow[]
  counts: Journal['counts']
  /** The active runs of this owner: begun and not ended. */
  held(): readonly string[]
  isHeld(runId: string): boolean
  orphans(): readonly string[]
  unfinishedServices: Journal['unfinishedServices']
  lastSuccess(pipeline: string): string | undefined
  pipelines: Journal['pipelines']
  expired: Journal['expired']
}

export function createRunRows(db: DatabaseSync, owner: Owner, here: ServiceAtHand): RunRows {
  const { profile, service = null } = here
  const insert = db.prepare(
    'INSERT INTO runs (run_id, pipeline, profile, service, status, submitted_at, owner, dedupe_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const byDedupeKey = db.prepare('SELECT run_id FROM runs WHERE dedupe_key = ?')
  const ownerOf = db.prepare('SELECT owner, profile, service FROM runs WHERE run_id = ? AND finished_at IS NULL')
  const setOwner = db.prepare('UPDATE runs SET owner = ?, profile = ?, service = coalesce(?, service) WHERE run_id = ?')
  const release = db.prepare('UPDATE runs SET owner = NULL WHERE run_id = ? AND owner = ?')
  const held = db.prepare(`SELECT run_id FROM runs WHERE owner = ? AND finished_at IS NULL AND status <> 'queued'`)
  const setStatus = db.prepare('UPDATE runs SET status = ? WHERE run_id = ?')
  const finish = db.prepare(
    'UPDATE runs SET status = ?, finished_at = ?, failures = ?, failures_of = ?, owner = NULL WHERE run_id = ?',
  )
  const owners = db.prepare('SELECT DISTINCT owner FROM runs WHERE finished_at IS NULL')
  const unfinished = db.prepare(
    `SELECT run_id, submitted_at FROM runs
     WHERE owner IS ? AND ${OF_SERVICE} AND finished_at IS NULL AND status <> 'queued'`,
  )
  const lastSuccess = db.prepare(
    `SELECT run_id FROM runs WHERE pipeline = ? AND status = 'succeeded' AND ${OF_SERVICE}
     ORDER BY submitted_at DESC, run_id DESC LIMIT 1`,
  )
  const unfinishedServices = db.prepare(
    `SELECT profile, service, count(*) AS runs, min(run_id) AS oldest FROM runs WHERE finished_at IS NULL
     GROUP BY profile, service ORDER BY profile, service`,
  )
  // Jumps from one name to the next in the index, so the number of runs per name does not matter.
  const pipelines = db.prepare(`
    WITH RECURSIVE names (name) AS (
      SELECT min(pipeline) FROM runs
      UNION ALL SELECT (SELECT min(pipeline) FROM runs WHERE pipeline > name) FROM names WHERE name IS NOT NULL)
    SELECT name FROM names WHERE name IS NOT NULL`)
  const expired = db.prepare(`
    SELECT run_id FROM runs AS r
    WHERE pipeline = :pipeline AND submitted_at < :before AND finished_at < :before
      AND (:keep = 0 OR (submitted_at, run_id) < (
        SELECT submitted_at, run_id FROM runs WHERE pipeline = :pipeline AND finished_at IS NOT NULL
        ORDER BY submitted_at DESC, run_id DESC LIMIT 1 OFFSET :keep - 1))
      AND (status <> 'succeeded' OR EXISTS (
        SELECT 1 FROM runs AS newer WHERE pipeline = :pipeline AND status = 'succeeded'
          AND newer.profile = r.profile AND newer.service IS r.service
          AND (newer.submitted_at, newer.run_id) > (r.submitted_at, r.run_id)))
    ORDER BY submitted_at, run_id LIMIT :limit`)
  const count = db.prepare('SELECT status, count(*) AS runs FROM runs WHERE finished_at IS NULL GROUP BY status')
  const select = `SELECT runs.*, owners.pid, owners.host FROM runs LEFT JOIN owners USING (owner)`
  const byId = db.prepare(`${select} WHERE run_id = ?`)

  /** Reads the other owners once, and only if one of them is asked about. */
  const livesNow = () => {
    let living: ReadonlySet<string> | undefined
    return (id: string) => {
      living ??= owner.living()
      return living.has(id)
    }
  }

  return {
    insert: ({ runId, pipeline, status, at, dedupeKey }) => {
      owner.register()
      insert.run(runId, pipeline, profile, service, status, at, owner.id, dedupeKey ?? null)
    },
    byDedupeKey: (key) => (key === undefined ? undefined : text(byDedupeKey.get(key)?.run_id)),
    claim(runId) {
      const row = ownerOf.get(runId)
      if (!row) return false
      const other = row.owner === owner.id ? undefined : text(row.owner)
      if (other !== undefined && owner.living().has(other)) return false
      if (!here.takesOthers) requireSameService({ runId, ...recordedService(row) }, here)
      owner.register()
      if (other !== undefined) owner.takeFrom(other)
      setOwner.run(owner.id, profile, service, runId)
      return true
    },
    release: (runId) => {
      release.run(runId, owner.id)
    },
    follow(runId, at, record) {
      if (record.type === 'run.finished') {
        const { status, failures = 0, failuresOf = 0 } = record
        finish.run(status, at, failures, failuresOf, runId)
      }
      if (record.type === 'step.waiting') setStatus.run('waiting', runId)
      if (record.type === 'decision.made' || record.type === 'run.admitted') setStatus.run('running', runId)
    },
    find: (runId) => {
      const row = byId.get(runId)
      return row && runRow(row, livesNow())
    },
    list({ pipeline, status, ownerless, before, since, limit }) {
      const conditions = new Conditions()
      if (pipeline !== undefined) conditions.add('pipeline = ?', pipeline)
      if (status) conditions.isOneOf('status', status)
      if (ownerless) {
        const living = [...owner.living()]
        conditions.add(`(owner IS NULL OR owner NOT IN (${living.map(() => '?').join(', ')}))`, ...living)
      }
      if (before !== undefined) conditions.add('submitted_at < ?', before)
      if (since !== undefined) conditions.add('submitted_at >= ?', since)
      const query = db.prepare(`${select} ${conditions.where} ORDER BY submitted_at DESC, run_id DESC LIMIT ?`)
      const lives = livesNow()
      return query.all(...conditions.values, limit).map((row) => runRow(row, lives))
    },
    counts() {
      const found = new Map(count.all().map(({ status, runs }) => [status, Number(runs)]))
      const of = (status: string) => found.get(status) ?? 0
      return { queued: of('queued'), running: of('running'), waiting: of('waiting') }
    },
    held: () => held.all(owner.id).map((row) => String(row.run_id)),
    isHeld: (runId) => ownerOf.get(runId)?.owner === owner.id,
    orphans() {
      const living: ReadonlySet<unknown> = owner.living()
      const dead = owners.all().flatMap((row) => (living.has(row.owner) ? [] : [text(row.owner) ?? null]))
      return dead
        .flatMap((id) => unfinished.all(id, profile, service))
        .sort((a, b) => Number(a.submitted_at) - Number(b.submitted_at))
        .map((row) => String(row.run_id))
    },
    unfinishedServices: () =>
      unfinishedServices.all().map((row) => ({
        ...recordedService(row),
        runs: Number(row.runs),
        oldestRunId: String(row.oldest),
      })),
    lastSuccess: (pipeline) => text(lastSuccess.get(pipeline, profile, service)?.run_id),
    pipelines: () => pipelines.all().map(({ name }) => String(name)),
    expired: ({ pipeline, before, keep, limit }) =>
      expired.all({ pipeline, before, keep, limit }).map((row) => String(row.run_id)),
  }
}

/** If a run's service is unknown, only the profile counts. */
const OF_SERVICE = 'profile = ? AND (service IS NULL OR service IS ?)'

function recordedService(row: Record<string, unknown>): RecordedService {
  const service = text(row.service)
  return { profile: String(row.profile), ...(service !== undefined && { service }) }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A killed owner no longer works: `lives` is called if the run has an owner. */
function runRow(row: Record<string, unknown>, lives: (owner: string) => boolean): RunRow {
  return {
    runId: String(row.run_id),
    pipeline: String(row.pipeline),
    ...recordedService(row),
    // Only this file writes this column.
    status: String(row.status) as RunRow['status'],
    submittedAt: Number(row.submitted_at),
    ...(row.finished_at !== null && { finishedAt: Number(row.finished_at) }),
    ...(Number(row.failures) > 0 && { failures: Number(row.failures), failuresOf: Number(row.failures_of) }),
    ...(row.pid !== null && lives(String(row.owner)) && { owner: `process ${row.pid} on ${row.host}` }),
  }
}
