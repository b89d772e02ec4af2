import type { AuditFilter } from '../audit-log.ts'
import type { OccurrenceFilter } from '../occurrence-store.ts'
import type { PageKey, RunFilter } from '../run-history.ts'

/** Query conditions that are known only at run time, and their values. */
export class Conditions {
  readonly values: unknown[] = []
  readonly #texts: string[] = []

  /** Adds a condition. Each `?` stands for the next value. */
  add(text: string, ...values: readonly unknown[]): void {
    let next = 0
    this.#texts.push(text.replaceAll('?', () => this.value(values[next++])))
  }

  /**
   * Adds the condition that a column has one of these values. A list of one value becomes an equality, because only an
   * equality keeps the order of an index.
   */
  isOneOf(column: string, values: readonly unknown[]): void {
    if (values.length === 1) this.add(`${column} = ?`, values[0])
    else this.add(`${column} IN (${values.map(() => '?').join(', ')})`, ...values)
  }

  /** Adds a value, and returns its placeholder. */
  value(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** The WHERE clause; empty if there are no conditions. */
  get where(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`
  }
}

export interface BoundedFilter extends RunFilter {
  /** The last run that the page looks at; undefined if it looks at all runs. */
  readonly end: PageKey | undefined
}

/** Adds the conditions of a run filter, except `ownerless`, because each store finds living owners in its own way. */
export function addRunFilter(
  conditions: Conditions,
  { pipeline, status, trigger, parent, text: part, end, partial, error, ...filter }: BoundedFilter,
  /** The condition that a column matches a LIKE pattern, ignoring case, with `\` as the escape character. */
  isLike: (column: string) => string,
): void {
  if (pipeline !== undefined) conditions.add('pipeline = ?', pipeline)
  if (partial) conditions.add(IN_PART)
  if (error !== undefined) conditions.add(`status = 'failed' AND error_key = ?`, error)
  const isImplied = (partial && status?.includes('succeeded')) || (error !== undefined && status?.includes('failed'))
  if (status && !isImplied) conditions.isOneOf('status', status)
  if (trigger !== undefined) conditions.add('? IN (trigger_kind, trigger_id)', trigger)
  if (parent !== undefined) conditions.add(`trigger_kind = 'run' AND trigger_label = ?`, parent)
  if (part !== undefined) {
    const pattern = `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
    const columns = ['run_id', 'pipeline', 'trigger_label', 'error_message']
    conditions.add(`(${columns.map(isLike).join(' OR ')})`, ...columns.map(() => pattern))
  }
  addPlace(conditions, filter)
  if (end) conditions.add('(submitted_at, run_id) >= (?, ?)', end.submittedAt, end.runId)
}

/** Only runs that succeeded can match. The indexes have the same condition, so that the database can use them. */
const IN_PART = 'failures > 0'

/** How many runs a page looks at if no index fits its filter. This takes about 20 ms. */
const LOOK = 20_000

/** How many runs a page with this filter looks at; undefined if an index fits the filter. */
export function lookOf({ text, trigger, look = LOOK }: RunFilter): number | undefined {
  return text === undefined && trigger === undefined ? undefined : look
}

/**
 * Adds the conditions that decide which runs a page looks at, if its filter has a text or a trigger. One index returns
 * these runs in order of submission.
 */
export function addLookFilter(conditions: Conditions, filter: RunFilter): void {
  const { pipeline, status, partial } = filter
  if (partial) conditions.add(IN_PART)
  if (pipeline !== undefined) conditions.add('pipeline = ?', pipeline)
  else if (!partial && status?.length === 1) conditions.isOneOf('status', status)
  addPlace(conditions, filter)
}

function addPlace(conditions: Conditions, { from, to, after }: RunFilter): void {
  if (from !== undefined) conditions.add('submitted_at >= ?', from)
  if (to !== undefined) conditions.add('submitted_at < ?', to)
  if (after) conditions.add('(submitted_at, run_id) < (?, ?)', after.submittedAt, after.runId)
}

/** Adds the conditions of a filter of occurrences. */
export function addOccurrenceFilter(
  conditions: Conditions,
  { pipeline, trigger, state, kind, runId, from, to }: OccurrenceFilter,
): void {
  // The table is named, because runs have a column `pipeline`, too.
  if (pipeline !== undefined) conditions.add('o.pipeline = ?', pipeline)
  if (trigger !== undefined) conditions.add('trigger_name = ?', trigger)
  if (state) conditions.isOneOf('state', state)
  if (kind === 'slot') conditions.add('key LIKE ?', SLOT_KEY)
  if (kind === 'set') conditions.add('key LIKE ?', SET_KEY)
  if (kind === 'file') conditions.add('key NOT LIKE ? AND key NOT LIKE ?', SLOT_KEY, SET_KEY)
  if (runId !== undefined) conditions.add('o.run_id = ?', runId)
  if (from !== undefined) conditions.add('at >= ?', from)
  if (to !== undefined) conditions.add('at < ?', to)
}

/** The key of a slot, but not of its backfills. */
export const OWN_SLOT_KEY = '____-__-__T__:__:__.___Z'
/** The key of a slot is a time. The key of a set names runs. The key of a file is a ticket, a hash or its name. */
const SLOT_KEY = `${OWN_SLOT_KEY}%`
const SET_KEY = 'runs ________t______-%'

/** Adds the conditions of a filter of the audit log. */
export function addAuditFilter(conditions: Conditions, { subject, by, before }: Omit<AuditFilter, 'limit'>): void {
  if (subject !== undefined) conditions.add('subject = ?', subject)
  if (by !== undefined) conditions.add('who = ?', by)
  if (before !== undefined) conditions.add('id < ?', before)
}
