import { HOUR_MS } from '../../core/duration.ts'
import { FINAL_STATUSES } from '../../core/format/statuses.ts'
import type { GuardValue, GuardVerdict } from '../../core/guard.ts'
import type { TriggerRef } from '../../core/occurrence.ts'
import type { FinalStatus } from '../../core/run.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import type { BlockedStep, HourCount, PageKey, PageOfRuns, PartnerWait, RunMark, RunRow } from '../run-history.ts'
import type { Row } from './work.ts'

/**
 * Makes a run in the form that lists show. `row` is its row in the table `runs` with the `pid` and the `host` of its
 * owner. If the run has an owner, `lives` says whether the owner is still alive, because it may have been killed.
 */
export function runRow(row: Row, lives: (owner: unknown) => boolean): RunRow {
  const step = textColumn(row.error_step)
  const message = textColumn(row.error_message)
  return {
    pipeline: String(row.pipeline),
    ...runMark(row),
    ...recordedService(row),
    beganAt: numberColumn(row.began_at),
    finishedAt: numberColumn(row.finished_at),
    triggerKind: String(row.trigger_kind),
    triggerLabel: String(row.trigger_label),
    startedBy: textColumn(row.started_by),
    commit: textColumn(row.commit_id),
    leftAt: numberColumn(row.left_at),
    seededFrom: textColumn(row.seeded_from),
    error: message === undefined ? undefined : { step, message, key: textColumn(row.error_key) || undefined },
    acknowledged: acknowledged(row.acknowledged),
    owner: row.pid !== null && lives(row.owner) ? `process ${row.pid} on ${row.host}` : undefined,
  }
}

/** Makes a RunMark from a row with the columns `MARK` and `partner_waits`. */
export function runMark(row: Row): RunMark {
  const hasFailures = Number(row.failures) > 0
  return {
    runId: String(row.run_id),
    // Only the writer of runs writes this column.
    status: String(row.status) as RunRow['status'],
    submittedAt: Number(row.submitted_at),
    failures: hasFailures ? Number(row.failures) : undefined,
    failuresOf: hasFailures ? Number(row.failures_of) : undefined,
    partnerWaits: partnerWaits(row.partner_waits),
  }
}

export const MARK = 'run_id, pipeline, status, submitted_at, failures, failures_of'

/**
 * Reads a JSON list: the number of steps that wait for partners, the number of these partners, one of them, and when
 * the first of the steps began to wait.
 */
function partnerWaits(list: unknown): RunRow['partnerWaits'] {
  if (typeof list !== 'string') return undefined
  // The statement that reads runs makes this list.
  const [steps, partners, counterpart, since] = JSON.parse(list) as [number, number, string | null, number | null]
  if (since === null) return undefined
  return { steps, partners, counterpart: partners === 1 ? counterpart || undefined : undefined, since }
}

/** Reads a JSON list: when, who and why. */
function acknowledged(list: unknown): RunRow['acknowledged'] {
  if (typeof list !== 'string') return undefined
  // The statement that reads runs makes this list.
  const [at, who, comment] = JSON.parse(list) as [number, string | null, string | null]
  return { at, by: who ?? undefined, comment: comment ?? undefined }
}

/** A row of the table `partner_waits`, with the pipeline of its run. */
export function partnerWaitOf(row: Row): PartnerWait {
  return {
    runId: String(row.run_id),
    pipeline: String(row.pipeline),
    step: String(row.step),
    counterpart: textColumn(row.counterpart) || undefined,
    since: Number(row.since),
  }
}

export function recordedService(row: Row): RecordedService {
  return { profile: String(row.profile), service: textColumn(row.service) }
}

/** Numbers by status; 0 for each of `statuses` without a row. Only runs with these statuses have been counted. */
export function countsOf<Status extends string>(
  statuses: readonly Status[],
  rows: readonly Row[] = [],
): Record<Status, number> {
  const counted = rows.map(({ status, runs }) => [String(status), Number(runs)] as const)
  return Object.fromEntries([...statuses.map((status) => [status, 0] as const), ...counted]) as Record<Status, number>
}

/** A value of the table `run_guards`. */
export function guardValueOf(row: Row): GuardValue {
  return {
    runId: String(row.run_id),
    item: textColumn(row.item),
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

/** A number in the outputs of a step. */
export function figureOf(row: Row): { runId: string; step: string; name: string; value: number } {
  return { runId: String(row.run_id), step: String(row.step), name: String(row.name), value: Number(row.value) }
}

/** A page of at most `limit` rows. `end` is the last run that was looked at; undefined if all runs were. */
export function pageOfRuns(rows: readonly RunRow[], limit: number, end: PageKey | undefined): PageOfRuns {
  const last = rows.length === limit ? rows.at(-1) : undefined
  const next = last ? { submittedAt: last.submittedAt, runId: last.runId } : end
  return { rows, next }
}

export function pageKey(row: Row): PageKey {
  return { submittedAt: Number(row.submitted_at), runId: String(row.run_id) }
}

/** The trigger of a row with the columns `pipeline` and `trigger_name`. */
export function triggerOf(row: Row): TriggerRef {
  return { pipeline: String(row.pipeline), trigger: String(row.trigger_name) }
}

/** A column of numbers; undefined for NULL. */
export function numberColumn(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}

/** A text column; undefined for NULL. */
export function textColumn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/**
 * The rows of the table `run_hours` as one row of three lists, each a JSON text. A year has 17,000 rows, and reading
 * each field separately takes twice the time.
 */
interface HourLists {
  readonly hours?: unknown
  readonly statuses?: unknown
  readonly runs?: unknown
}

/** A run that succeeded in part counts as succeeded and as partial. */
type Outcome = FinalStatus | 'partial'

const NONE_ENDED = countsOf(FINAL_STATUSES)

/** The counts of each hour. If several rows have the same hour and status, they are added up. */
export function hourCounts({ hours, statuses, runs }: HourLists = {}): HourCount[] {
  // These statuses are copied from ended runs.
  const [hourList, statusList, runList] = [hours, statuses, runs].map(listOf) as [number[], Outcome[], number[]]
  const counts = new Map<number, { -readonly [Name in keyof HourCount]: HourCount[Name] }>()
  for (const [index, hour] of hourList.entries()) {
    const count = counts.get(hour) ?? { at: hour * HOUR_MS, ...NONE_ENDED, succeededInPart: 0 }
    const status = statusList[index]
    if (status !== undefined) count[status === 'partial' ? 'succeededInPart' : status] += runList[index] ?? 0
    counts.set(hour, count)
  }
  return [...counts.values()].sort((a, b) => a.at - b.at)
}

function listOf(value: unknown): unknown[] {
  return typeof value === 'string' ? JSON.parse(value) : []
}
