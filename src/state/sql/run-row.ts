import type { GuardValue, GuardVerdict } from '../../core/guard.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import type { BlockedStep, PageKey, RunPage, RunRow } from '../run-history.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * A run as lists show it, from its row in the table `runs` with the `pid` and the `host` of its owner. A killed owner no
 * longer works: `lives` is called if the run has an owner.
 */
export function runRow(row: Row, lives: (owner: unknown) => boolean): RunRow {
  const step = text(row.error_step)
  const message = text(row.error_message)
  return {
    runId: String(row.run_id),
    pipeline: String(row.pipeline),
    ...recordedService(row),
    // Only the writer of runs writes this column.
    status: String(row.status) as RunRow['status'],
    submittedAt: Number(row.submitted_at),
    ...(row.began_at !== null && { beganAt: Number(row.began_at) }),
    ...(row.finished_at !== null && { finishedAt: Number(row.finished_at) }),
    triggerKind: String(row.trigger_kind),
    triggerLabel: String(row.trigger_label),
    ...(typeof row.started_by === 'string' && { startedBy: row.started_by }),
    ...(typeof row.seeded_from === 'string' && { seededFrom: row.seeded_from }),
    ...(message !== undefined && { error: { ...(step !== undefined && { step }), message } }),
    ...(Number(row.failures) > 0 && { failures: Number(row.failures), failuresOf: Number(row.failures_of) }),
    ...(row.pid !== null && lives(row.owner) && { owner: `process ${row.pid} on ${row.host}` }),
  }
}

export function recordedService(row: Row): RecordedService {
  const service = text(row.service)
  return { profile: String(row.profile), ...(service !== undefined && { service }) }
}

/** Numbers by status. */
export function countsOf(rows: readonly Row[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ status, runs }) => [String(status), Number(runs)]))
}

/** A value of the table `run_guards`. */
export function guardValueOf(row: Row): GuardValue {
  return {
    runId: String(row.run_id),
    ...(row.item !== null && { item: String(row.item) }),
    value: Number(row.value),
    // Only the writer of runs writes this column.
    verdict: String(row.verdict) as GuardVerdict,
  }
}

/** A row of the table `blocked`. */
export function blockedOf(row: Row): BlockedStep {
  const by = { runId: String(row.by_run), step: String(row.by_key) }
  return { runId: String(row.run_id), step: String(row.step), thing: String(row.thing), by }
}

/** A number among the outputs of a step. */
export function figureOf(row: Row): { runId: string; step: string; name: string; value: number } {
  return { runId: String(row.run_id), step: String(row.step), name: String(row.name), value: Number(row.value) }
}

/** A page of at most `limit` rows. `end` is the last run that was looked at; undefined if all were. */
export function pageOf(rows: readonly RunRow[], limit: number, end: PageKey | undefined): RunPage {
  const last = rows.length === limit ? rows.at(-1) : undefined
  const next = last ? { submittedAt: last.submittedAt, runId: last.runId } : end
  return { rows, ...(next && { next }) }
}

export function pageKey(row: Row): PageKey {
  return { submittedAt: Number(row.submitted_at), runId: String(row.run_id) }
}

/** A text column; undefined for NULL. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
