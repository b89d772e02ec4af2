import type { AuditFilter } from '../audit-log.ts'
import type { OccurrenceFilter } from '../occurrence-store.ts'
import type { RunFilter } from '../run-history.ts'

/** The conditions of a query; each `?` stands for the next value. */
interface Conditions {
  add(text: string, ...values: readonly (string | number)[]): void
  isOneOf(column: string, values: readonly string[]): void
}

/** What a filter of runs means for their rows, but for `ownerless`, because each store knows the living in its own way. */
export function addRunFilter(
  conditions: Conditions,
  { pipeline, status, trigger, text: part, from, to, after }: RunFilter,
  /** The condition that a column is like a pattern, without regard to case, with `\` before what is meant literally. */
  isLike: (column: string) => string,
): void {
  if (pipeline !== undefined) conditions.add('pipeline = ?', pipeline)
  if (status) conditions.isOneOf('status', status)
  if (trigger !== undefined) conditions.add('? IN (trigger_kind, trigger_id)', trigger)
  if (part !== undefined) {
    const pattern = `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
    const columns = ['run_id', 'pipeline', 'trigger_label', 'error_message']
    conditions.add(`(${columns.map(isLike).join(' OR ')})`, ...columns.map(() => pattern))
  }
  if (from !== undefined) conditions.add('submitted_at >= ?', from)
  if (to !== undefined) conditions.add('submitted_at < ?', to)
  if (after) conditions.add('(submitted_at, run_id) < (?, ?)', after.submittedAt, after.runId)
}

/** What a filter of occurrences means for their rows. */
export function addOccurrenceFilter(
  conditions: Conditions,
  { pipeline, trigger, state, from, to }: OccurrenceFilter,
): void {
  if (pipeline !== undefined) conditions.add('pipeline = ?', pipeline)
  if (trigger !== undefined) conditions.add('trigger_name = ?', trigger)
  if (state) conditions.isOneOf('state', state)
  if (from !== undefined) conditions.add('at >= ?', from)
  if (to !== undefined) conditions.add('at < ?', to)
}

/** What a filter of the audit log means for its rows. */
export function addAuditFilter(conditions: Conditions, { subject, by, before }: Omit<AuditFilter, 'limit'>): void {
  if (subject !== undefined) conditions.add('subject = ?', subject)
  if (by !== undefined) conditions.add('who = ?', by)
  if (before !== undefined) conditions.add('id < ?', before)
}
