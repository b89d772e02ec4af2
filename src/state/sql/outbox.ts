import { parseJson, stringifyJson } from '../../core/json.ts'
import type { Notification } from '../../core/notification.ts'
import type { FinalStatus } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { DeploymentNews } from '../deployments.ts'
import type { Outbox, OutboxChange, OutboxEvent, Undelivered } from '../outbox.ts'
import { occurrenceOf } from './occurrences.ts'
import { partnerWaitOf } from './run-row.ts'
import { type Row, rowOf, rowsOf, type Sql, send, type Work } from './work.ts'

/** While this checkpoint exists, the database triggers (migrations.ts) record events. */
const LISTENING = 'notify'
/** The names of the outbox's own checkpoints begin with this, so that other checkpoints stay unchanged. */
const PREFIX = 'notify/'

export function createOutbox(sql: Sql, redact: Redact): Outbox {
  const change = async (text: string, values: readonly unknown[]) => void (await sql.write(() => send(text, values)))

  const count = async (which: string) =>
    Number((await sql.read(rowOf(`SELECT count(*) AS rows FROM audience.notifications WHERE ${which}`)))?.rows)

  function* commitBatch(batch: OutboxChange): Work<void> {
    const { events, notifications, moved = [], partnerWaits = [], checkpoints, at } = batch
    for (const { channel, notification } of notifications)
      yield* send(ADD, [channel, notification.key, redact(stringifyJson(notification)), notification.at, at])
    for (const { runId, step } of partnerWaits) yield* send(TOLD, [at, runId, step])
    yield* send('DELETE FROM audience.outbox_events WHERE id = ANY($1)', [events])
    if (moved.length > 0) yield* send('UPDATE audience.notifications SET next_at = NULL WHERE id = ANY($1)', [moved])
    for (const [name, value] of checkpoints)
      if (value === null) yield* send('DELETE FROM audience.checkpoints WHERE name = $1', [`${PREFIX}${name}`])
      else yield* send(`${ADD_CHECKPOINT} (name) DO UPDATE SET value = excluded.value`, [`${PREFIX}${name}`, value])
  }

  return {
    begin: () => change(`${ADD_CHECKPOINT} DO NOTHING`, [LISTENING, 1]),
    end: () => sql.transaction(stopListening),
    events: async (limit) => (await sql.read(rowsOf(EVENTS, [limit]))).map(eventOf),
    partnerWaits: async (until) => (await sql.read(rowsOf(UNTOLD, [until]))).map(partnerWaitOf),
    async startedBy(runId) {
      const row = await sql.read(rowOf('SELECT * FROM audience.occurrences WHERE run_id = $1 ORDER BY id', [runId]))
      return row && occurrenceOf(row)
    },
    async checkpoint(name) {
      const row = await sql.read(rowOf('SELECT value FROM audience.checkpoints WHERE name = $1', [`${PREFIX}${name}`]))
      return row && Number(row.value)
    },
    async checkpoints(prefix) {
      const rows = await sql.read(rowsOf(CHECKPOINTS, [`${PREFIX}${prefix}`]))
      return new Map(rows.map(({ name, value }) => [String(name).slice(PREFIX.length), Number(value)]))
    },
    commitBatch: (batch) => sql.transaction(() => commitBatch(batch)),
    due: async (channel, now, limit) => (await sql.read(rowsOf(DUE, [channel, now, limit]))).map(undeliveredOf),
    delivered: (ids, at) => change(DELIVERED, [at, ids]),
    failed: (ids, { error, nextAt }) => change(FAILED, [nextAt, redact(error), ids]),
    counts: async () => ({
      pending: await count('next_at IS NOT NULL'),
      failed: await count('next_at IS NULL AND delivered_at IS NULL'),
    }),
    elsewhere: async (channels, limit) => (await sql.read(rowsOf(ELSEWHERE, [channels, limit]))).map(undeliveredOf),
    prune: (before) => change('DELETE FROM audience.notifications WHERE next_at IS NULL AND at < $1', [before]),
  }
}

function* stopListening(): Work<void> {
  yield* send('DELETE FROM audience.checkpoints WHERE name = $1 OR substr(name, 1, length($2)) = $2', [
    LISTENING,
    PREFIX,
  ])
  yield* send('DELETE FROM audience.outbox_events')
  yield* send('DELETE FROM audience.notifications WHERE next_at IS NOT NULL')
}

const ADD_CHECKPOINT = 'INSERT INTO audience.checkpoints (name, value) VALUES ($1, $2) ON CONFLICT'
const CHECKPOINTS = 'SELECT name, value FROM audience.checkpoints WHERE substr(name, 1, length($1)) = $1'
const ADD = `INSERT INTO audience.notifications (channel, key, data, at, next_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`
const EVENTS = `SELECT h.id AS event, h.kind, h.data AS news, r.run_id AS run, r.pipeline AS run_pipeline, r.status, r.finished_at,
    r.failures, r.failures_of, o.*
  FROM audience.outbox_events AS h
    LEFT JOIN audience.runs AS r ON r.run_id = h.run_id
    LEFT JOIN audience.occurrences AS o ON o.id = coalesce(h.occurrence,
      (SELECT min(id) FROM audience.occurrences WHERE run_id = h.run_id))
  ORDER BY h.id LIMIT $1 + 0`
const UNTOLD = `SELECT partner_waits.*, pipeline FROM audience.partner_waits JOIN audience.runs USING (run_id)
  WHERE finished_at IS NULL AND told_at IS NULL AND since <= $1 ORDER BY since, run_id, step`
const TOLD = 'UPDATE audience.partner_waits SET told_at = $1 WHERE run_id = $2 AND step = $3'
const DUE = `SELECT id, data, attempts FROM audience.notifications WHERE channel = $1 AND next_at <= $2
  ORDER BY id LIMIT $3 + 0`
const DELIVERED = `UPDATE audience.notifications SET next_at = NULL, delivered_at = $1, error = NULL
  WHERE id = ANY($2)`
const FAILED = `UPDATE audience.notifications SET next_at = $1, attempts = attempts + 1, error = $2
  WHERE id = ANY($3)`
const ELSEWHERE = `SELECT id, data, attempts FROM audience.notifications
  WHERE next_at IS NOT NULL AND channel <> ALL($1) ORDER BY id LIMIT $2`

/** An event with the columns of its run and its occurrence. */
function eventOf(row: Row): OutboxEvent {
  const id = Number(row.event)
  const occurrence = row.id === null ? undefined : occurrenceOf(row)
  // Only deployments write this column.
  if (row.kind === 'deployment')
    return { id, kind: 'deployment', news: parseJson(String(row.news)) as unknown as DeploymentNews }
  if (row.kind === 'occurrence') return occurrence ? { id, kind: 'occurrence', occurrence } : { id, kind: 'gone' }
  if (row.run === null) return { id, kind: 'gone' }
  const run = { runId: String(row.run), pipeline: String(row.run_pipeline), occurrence }
  if (row.kind === 'waiting') return { id, kind: 'waiting', ...run }
  // Only the writer of runs writes this column.
  const status = String(row.status) as FinalStatus
  const failures = Number(row.failures)
  const failed = failures > 0 ? { failures, failuresOf: Number(row.failures_of) } : undefined
  return { id, kind: 'ended', ...run, status, finishedAt: Number(row.finished_at), ...failed }
}

function undeliveredOf(row: Row): Undelivered {
  // Only `commitBatch` writes this column.
  const notification = parseJson(String(row.data)) as unknown as Notification
  return { id: Number(row.id), notification, attempts: Number(row.attempts) }
}
