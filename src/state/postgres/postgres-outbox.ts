import { stringifyJson } from '../../core/json.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Outbox } from '../outbox.ts'
import { occurrenceOf } from '../sql/occurrence-row.ts'
import { outboxEventOf, undeliveredOf } from '../sql/outbox-row.ts'
import type { Database, Query } from './database.ts'

/** While it exists, the database's triggers (migrations.ts) record events. */
const LISTENING = 'notify'
/** The prefix of the names of checkpoints, so that other entries stay untouched. */
const PREFIX = 'notify/'

/** The outbox in the database. */
export function createOutbox(db: Database, redact: Redact): Outbox {
  const change = async (text: string, values: readonly unknown[]) => void (await db.query(text, values))
  const count = async (which: string) =>
    Number((await db.row(`SELECT count(*) AS rows FROM audience.notifications WHERE ${which}`))?.rows)
  return {
    begin: () =>
      change('INSERT INTO audience.checkpoints (name, value) VALUES ($1, 1) ON CONFLICT DO NOTHING', [LISTENING]),
    end: () =>
      db.transaction(async (query) => {
        await query('DELETE FROM audience.checkpoints WHERE name = $1 OR starts_with(name, $2)', [LISTENING, PREFIX])
        await query('DELETE FROM audience.outbox_events')
        await query('DELETE FROM audience.notifications WHERE next_at IS NOT NULL')
      }),
    async events(limit) {
      const rows = await db.rows(
        `SELECT h.id AS event, h.kind, r.run_id AS run, r.pipeline AS run_pipeline, r.status, r.finished_at,
            r.failures, r.failures_of, o.*
          FROM audience.outbox_events AS h
            LEFT JOIN audience.runs AS r ON r.run_id = h.run_id
            LEFT JOIN audience.occurrences AS o ON o.id = coalesce(h.occurrence,
              (SELECT min(id) FROM audience.occurrences WHERE run_id = h.run_id))
          ORDER BY h.id LIMIT $1`,
        [limit],
      )
      return rows.map(outboxEventOf)
    },
    async startedBy(runId) {
      const row = await db.row('SELECT * FROM audience.occurrences WHERE run_id = $1 ORDER BY id LIMIT 1', [runId])
      return row && occurrenceOf(row)
    },
    async checkpoint(name) {
      const row = await db.row('SELECT value FROM audience.checkpoints WHERE name = $1', [`${PREFIX}${name}`])
      return row && Number(row.value)
    },
    commitBatch: ({ events, notifications, checkpoints, at }) =>
      db.transaction(async (query) => {
        for (const { channel, notification } of notifications) {
          const data = redact(stringifyJson(notification))
          await query(
            `INSERT INTO audience.notifications (channel, key, data, at, next_at) VALUES ($1, $2, $3, $4, $5)
              ON CONFLICT DO NOTHING`,
            [channel, notification.key, data, notification.at, at],
          )
        }
        await query('DELETE FROM audience.outbox_events WHERE id = ANY($1)', [events])
        for (const [name, value] of checkpoints) await keepCheckpoint(query, `${PREFIX}${name}`, value)
      }),
    async due(channel, now, limit) {
      const rows = await db.rows(
        `SELECT id, data, attempts FROM audience.notifications WHERE channel = $1 AND next_at <= $2
          ORDER BY id LIMIT $3`,
        [channel, now, limit],
      )
      return rows.map(undeliveredOf)
    },
    delivered: (ids, at) =>
      change('UPDATE audience.notifications SET next_at = NULL, delivered_at = $1, error = NULL WHERE id = ANY($2)', [
        at,
        ids,
      ]),
    failed: (ids, { error, nextAt = null }) =>
      change('UPDATE audience.notifications SET next_at = $1, attempts = attempts + 1, error = $2 WHERE id = ANY($3)', [
        nextAt,
        redact(error),
        ids,
      ]),
    counts: async () => ({
      pending: await count('next_at IS NOT NULL'),
      failed: await count('next_at IS NULL AND delivered_at IS NULL'),
    }),
    abandonOthers: async (channels) =>
      (
        await db.query(
          'UPDATE audience.notifications SET next_at = NULL WHERE next_at IS NOT NULL AND channel <> ALL($1)',
          [channels],
        )
      ).changes,
    prune: (before) => change('DELETE FROM audience.notifications WHERE next_at IS NULL AND at < $1', [before]),
  }
}

async function keepCheckpoint(query: Query, name: string, value: number | null): Promise<void> {
  if (value === null) await query('DELETE FROM audience.checkpoints WHERE name = $1', [name])
  else
    await query(
      `INSERT INTO audience.checkpoints (name, value) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, value],
    )
}
