/** A table that `copyState` copies. */
export interface CopiedTable {
  /** Its name in the target. */
  readonly name: string
  /** Its columns and their types, in the same order as in `rows`. */
  readonly columns: Readonly<Record<string, string>>
  /** The statement that reads the rows of the source. */
  readonly rows: string
  /** Whether the table numbers its rows. */
  readonly hasId?: true
}

/**
 * The tables in the order in which they are copied. The checkpoint that starts the recording of events comes late, so
 * that the copy itself causes no events.
 */
export const COPIED_TABLES: readonly CopiedTable[] = [
  {
    name: 'documents',
    columns: { digest: 'text', text: 'text' },
    rows: 'SELECT digest, text FROM documents',
  },
  {
    name: 'runs',
    columns: {
      ...{ run_id: 'text', pipeline: 'text', profile: 'text', service: 'text', status: 'text' },
      ...{ submitted_at: 'bigint', began_at: 'bigint', finished_at: 'bigint', dedupe_key: 'text', document: 'text' },
      ...{ trigger_kind: 'text', trigger_id: 'text', trigger_label: 'text', seeded_from: 'text', started_by: 'text' },
      ...{ failures: 'integer', failures_of: 'integer', error_step: 'text', error_message: 'text' },
      ...{ error_key: 'text', left_at: 'bigint', commit_id: 'text' },
      updated_seq: 'bigint',
    },
    // The target assigns new change numbers, in this order.
    rows: `SELECT run_id, pipeline, profile, service, status, submitted_at, began_at, finished_at, dedupe_key, digest,
        trigger_kind, trigger_id, trigger_label, seeded_from, started_by, failures, failures_of, error_step,
        error_message, error_key, left_at, commit_id, 0
      FROM runs LEFT JOIN documents ON document = id ORDER BY updated_seq`,
  },
  {
    name: 'run_hours',
    columns: { hour: 'bigint', pipeline: 'text', status: 'text', executor: 'text', runs: 'bigint' },
    rows: `SELECT hour, pipeline, status, '', runs FROM run_hours`,
  },
  {
    name: 'figures',
    columns: { run_id: 'text', by_step: 'jsonb' },
    rows: `SELECT run_id, json_group_object(step, json(numbers))
      FROM (SELECT run_id, step, json_group_object(name, value) AS numbers FROM run_figures GROUP BY run_id, step)
      GROUP BY run_id`,
  },
  {
    name: 'run_guards',
    columns: {
      ...{ run_id: 'text', step: 'text', place: 'integer', of: 'text', item: 'text' },
      ...{ value: 'double precision', verdict: 'text' },
    },
    rows: 'SELECT run_id, step, place, of, item, value, verdict FROM run_guards',
  },
  {
    name: 'blocked',
    columns: { run_id: 'text', step: 'text', thing: 'text', by_run: 'text', by_key: 'text' },
    rows: 'SELECT run_id, step, thing, by_run, by_key FROM blocked',
  },
  {
    name: 'partner_waits',
    columns: { run_id: 'text', step: 'text', counterpart: 'text', since: 'bigint', told_at: 'bigint' },
    rows: 'SELECT run_id, step, counterpart, since, told_at FROM partner_waits',
  },
  {
    name: 'acknowledged',
    columns: {
      ...{ pipeline: 'text', error_key: 'text', at: 'bigint', who: 'text', comment: 'text', ended_at: 'bigint' },
    },
    rows: 'SELECT pipeline, error_key, at, who, comment, ended_at FROM acknowledged',
  },
  {
    name: 'mutes',
    columns: { pipelines: 'text', since: 'bigint', until: 'bigint', who: 'text', comment: 'text' },
    rows: 'SELECT pipelines, since, until, who, comment FROM mutes',
  },
  {
    name: 'deployments',
    columns: {
      ...{ id: 'bigint', commit_id: 'text', act: 'text', at: 'bigint', subject: 'text', author: 'text' },
      ...{ committed_at: 'bigint', pipelines: 'integer', who: 'text', comment: 'text' },
    },
    rows: `SELECT id, commit_id, act, at, subject, author, committed_at, pipelines, who, comment
      FROM deployments ORDER BY id`,
  },
  {
    name: 'deployment_marks',
    columns: { name: 'text', data: 'text' },
    rows: 'SELECT name, data FROM deployment_marks',
  },
  {
    name: 'triggers',
    columns: { pipeline: 'text', name: 'text', cursor: 'bigint', times: 'text', paused_at: 'bigint' },
    rows: 'SELECT pipeline, name, cursor, times, paused_at FROM triggers',
  },
  {
    name: 'occurrences',
    columns: {
      ...{ id: 'bigint', pipeline: 'text', trigger_name: 'text', key: 'text', at: 'bigint', state: 'text' },
      ...{ reason: 'text', run_id: 'text', detail: 'text', open: 'boolean' },
    },
    rows: 'SELECT id, pipeline, trigger_name, key, at, state, reason, run_id, detail, open FROM occurrences ORDER BY id',
    hasId: true,
  },
  {
    name: 'follows',
    columns: { pipeline: 'text', trigger_name: 'text', upstream: 'text' },
    rows: 'SELECT pipeline, trigger_name, upstream FROM follows',
  },
  {
    name: 'ends',
    columns: {
      ...{ pipeline: 'text', trigger_name: 'text', run_id: 'text', upstream: 'text', at: 'bigint' },
      ...{ origin: 'text', mark: 'text', key: 'text' },
    },
    rows: 'SELECT pipeline, trigger_name, run_id, upstream, at, origin, mark, key FROM ends',
  },
  {
    name: 'remote_files',
    columns: {
      ...{ ticket: 'text', pipeline: 'text', trigger_name: 'text', source: 'text', path: 'text', hint: 'text' },
      ...{ of_set: 'text', state: 'text', sha256: 'text', key: 'text' },
    },
    rows: 'SELECT ticket, pipeline, trigger_name, source, path, hint, of_set, state, sha256, key FROM remote_files',
  },
  {
    name: 'step_memory',
    columns: { profile: 'text', service: 'text', pipeline: 'text', step: 'text', data: 'text' },
    rows: 'SELECT profile, service, pipeline, step, data FROM step_memory',
  },
  {
    name: 'made',
    columns: {
      ...{ profile: 'text', service: 'text', kind: 'text', id: 'text', job: 'text', request: 'text' },
      ...{
        name: 'text',
        about: 'text',
        pipeline: 'text',
        step: 'text',
        run_id: 'text',
        at: 'bigint',
        found: 'boolean',
      },
    },
    rows: `SELECT profile, service, kind, id, job, request, name, about, pipeline, step, run_id, at, found
      FROM made ORDER BY rowid`,
  },
  {
    name: 'audit',
    columns: {
      ...{ id: 'bigint', at: 'bigint', who: 'text', role: 'text', address: 'text', act: 'text', subject: 'text' },
      ...{ detail: 'text', reason: 'text', outcome: 'text' },
    },
    rows: 'SELECT id, at, who, role, address, act, subject, detail, reason, outcome FROM audit ORDER BY id',
    hasId: true,
  },
  {
    name: 'notifications',
    columns: {
      ...{ id: 'bigint', channel: 'text', key: 'text', data: 'text', at: 'bigint', attempts: 'integer' },
      ...{ next_at: 'bigint', delivered_at: 'bigint', error: 'text' },
    },
    rows: 'SELECT id, channel, key, data, at, attempts, next_at, delivered_at, error FROM notifications ORDER BY id',
    hasId: true,
  },
  {
    name: 'outbox_events',
    columns: { id: 'bigint', kind: 'text', run_id: 'text', occurrence: 'bigint', data: 'text' },
    rows: 'SELECT id, kind, run_id, occurrence, data FROM outbox_events ORDER BY id',
    hasId: true,
  },
  {
    name: 'checkpoints',
    columns: { name: 'text', value: 'bigint' },
    rows: `SELECT name, value FROM checkpoints WHERE name = 'notify' OR name GLOB 'notify/*'`,
  },
]

/** The records of all runs are copied separately, because a source may have packed them. */
export const RECORDS: Omit<CopiedTable, 'rows'> = {
  name: 'records',
  columns: { run_id: 'text', seq: 'integer', at: 'bigint', data: 'text' },
}
