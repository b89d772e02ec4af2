import { parseJson } from '../../core/json.ts'
import type { Notification } from '../../core/notification.ts'
import type { FinalStatus } from '../../core/run.ts'
import type { OutboxEvent, Undelivered } from '../outbox.ts'
import { occurrenceOf } from './occurrence-row.ts'

type Row = Readonly<Record<string, unknown>>

/** An event with the columns of its run and its occurrence. */
export function outboxEventOf(row: Row): OutboxEvent {
  const id = Number(row.event)
  const occurrence = row.id === null ? undefined : occurrenceOf(row)
  if (row.kind === 'occurrence') return occurrence ? { id, kind: 'occurrence', occurrence } : { id, kind: 'gone' }
  if (row.run === null) return { id, kind: 'gone' }
  const run = { runId: String(row.run), pipeline: String(row.run_pipeline), ...(occurrence && { occurrence }) }
  if (row.kind === 'waiting') return { id, kind: 'waiting', ...run }
  // Only the writer of runs writes this column.
  const status = String(row.status) as FinalStatus
  const failures = Number(row.failures)
  return {
    ...{ id, kind: 'ended', ...run, status, finishedAt: Number(row.finished_at) },
    ...(failures > 0 && { failures, failuresOf: Number(row.failures_of) }),
  }
}

/** A row of the table `notifications`. */
export function undeliveredOf(row: Row): Undelivered {
  // Only `commitBatch` writes this column.
  const notification = parseJson(String(row.data)) as unknown as Notification
  return { id: Number(row.id), notification, attempts: Number(row.attempts) }
}
