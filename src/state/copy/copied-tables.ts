/** A table that `copyState` copies. */
export interface CopiedTable {
  /** Its name in the target. */
  readonly name: string
  /** Its columns, each with its type in the target if this is not `text`. */
  readonly columns: string
  /**
   * The statement that reads these columns from the source, in the same order. Absent if all rows are read from a table
   * of the source with the same name and columns.
   */
  readonly rows?: string
  /**
   * Whether the table numbers its rows in the column `id`. They are then read in the order of these numbers, and the
   * target continues the numbers.
   */
  readonly hasId?: true
  /** The column by which the rows of other tables are sorted when they are read, if their order matters. */
  readonly orderBy?: string
}

/**
 * The tables in the order in which they are copied. The checkpoint that starts the recording of events comes late, so
 * that the copy itself causes no events.
 */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'documents', columns: 'digest, text' },
  {
    name: 'runs',
    columns: `run_id, pipeline, profile, service, status, submitted_at bigint, began_at bigint, finished_at bigint,
      dedupe_key, document, trigger_kind, trigger_id, trigger_label, seeded_from, started_by, failures integer,
      failures_of integer, error_step, error_message, error_key, left_at bigint, commit_id, updated_seq bigint`,
    // The target assigns new change numbers, in this order.
    rows: `SELECT run_id, pipeline, profile, service, status, submitted_at, began_at, finished_at,
        dedupe_key, digest, trigger_kind, trigger_id, trigger_label, seeded_from, started_by, failures,
        failures_of, error_step, error_message, error_key, left_at, commit_id, 0
      FROM runs LEFT JOIN documents ON document = id ORDER BY updated_seq`,
  },
  {
    name: 'run_hours',
    columns: 'hour bigint, pipeline, status, executor, runs bigint',
    rows: `SELECT hour, pipeline, status, '', runs FROM run_hours`,
  },
  {
    name: 'figures',
    columns: 'run_id, by_step jsonb',
    rows: `SELECT run_id, json_group_object(step, json(numbers))
      FROM (SELECT run_id, step, json_group_object(name, value) AS numbers FROM run_figures GROUP BY run_id, step)
      GROUP BY run_id`,
  },
  { name: 'run_guards', columns: 'run_id, step, place integer, of, item, value double precision, verdict' },
  { name: 'blocked', columns: 'run_id, step, thing, by_run, by_key' },
  { name: 'partner_waits', columns: 'run_id, step, counterpart, since bigint, told_at bigint' },
  { name: 'acknowledged', columns: 'pipeline, error_key, at bigint, who, comment, ended_at bigint' },
  { name: 'mutes', columns: 'pipelines, since bigint, until bigint, who, comment' },
  {
    name: 'deployments',
    columns: `id bigint, commit_id, act, at bigint, subject, author, committed_at bigint, pipelines integer, who,
      comment`,
    orderBy: 'id',
  },
  { name: 'deployment_marks', columns: 'name, data' },
  { name: 'triggers', columns: 'pipeline, name, cursor bigint, times, paused_at bigint' },
  {
    name: 'occurrences',
    columns: 'id bigint, pipeline, trigger_name, key, at bigint, state, reason, run_id, detail, open boolean',
    hasId: true,
  },
  { name: 'follows', columns: 'pipeline, trigger_name, upstream' },
  { name: 'ends', columns: 'pipeline, trigger_name, run_id, upstream, at bigint, origin, mark, key' },
  { name: 'remote_files', columns: 'ticket, pipeline, trigger_name, source, path, hint, of_set, state, sha256, key' },
  { name: 'step_memory', columns: 'profile, service, pipeline, step, data' },
  {
    name: 'made',
    columns: `profile, service, kind, id, job, request, name, about, pipeline, step, run_id, at bigint,
      found boolean`,
    orderBy: 'rowid',
  },
  {
    name: 'audit',
    columns: 'id bigint, at bigint, who, role, address, act, subject, detail, reason, outcome',
    hasId: true,
  },
  {
    name: 'notifications',
    columns: 'id bigint, channel, key, data, at bigint, attempts integer, next_at bigint, delivered_at bigint, error',
    hasId: true,
  },
  { name: 'outbox_events', columns: 'id bigint, kind, run_id, occurrence bigint, data', hasId: true },
  {
    name: 'checkpoints',
    columns: 'name, value bigint',
    rows: `SELECT name, value FROM checkpoints WHERE name = 'notify' OR name GLOB 'notify/*'`,
  },
]

/** The records of all runs are copied separately, because a source may have packed them. */
export const RECORDS: CopiedTable = { name: 'records', columns: 'run_id, seq integer, at bigint, data' }

/** The columns of a table, in order. */
export function columnsOf({ columns }: CopiedTable): readonly { readonly name: string; readonly type: string }[] {
  return columns.split(/,\s+/).map((column) => {
    const [name = '', ...type] = column.split(' ')
    return { name, type: type.length > 0 ? type.join(' ') : 'text' }
  })
}

/** The statement that reads the rows of a table from the source, with their columns in order. */
export function readingOf(table: CopiedTable): string {
  const { name, hasId, orderBy = hasId && 'id', rows } = table
  const columns = columnsOf(table).map((column) => column.name)
  return rows ?? `SELECT ${columns.join(', ')} FROM ${name}${orderBy ? ` ORDER BY ${orderBy}` : ''}`
}
