import type { DatabaseSync } from 'node:sqlite'
import { stringifyJson } from '../../core/json.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Outbox } from '../outbox.ts'
import { occurrenceOf } from '../sql/occurrence-row.ts'
import { outboxEventOf, undeliveredOf } from '../sql/outbox-row.ts'
import type { CommitQueue } from './commit-queue.ts'

/** While it exists, the database's triggers (migrations.ts) record events. */
const LISTENING = 'notify'
/** The prefix of the names of checkpoints, so that other entries stay untouched. */
const PREFIX = 'notify/'

/** The outbox in the state database. */
export function createSqliteOutbox(state: {
  readonly db: DatabaseSync
  readonly queue: CommitQueue
  readonly redact: Redact
}): Outbox {
  const { db, queue, redact } = state
  const addCheckpoint = db.prepare('INSERT OR IGNORE INTO checkpoints (name, value) VALUES (?, ?)')
  const setCheckpoint = db.prepare('INSERT OR REPLACE INTO checkpoints (name, value) VALUES (?, ?)')
  const getCheckpoint = db.prepare('SELECT value FROM checkpoints WHERE name = ?')
  const removeCheckpoint = db.prepare('DELETE FROM checkpoints WHERE name = ?')
  const events = db.prepare(`
    SELECT h.id AS event, h.kind, r.run_id AS run, r.pipeline AS run_pipeline, r.status, r.finished_at,
      r.failures, r.failures_of, o.*
    FROM outbox_events AS h
      LEFT JOIN runs AS r ON r.run_id = h.run_id
      LEFT JOIN occurrences AS o ON o.id = coalesce(h.occurrence, (SELECT id FROM occurrences WHERE run_id = h.run_id))
    ORDER BY h.id LIMIT ?`)
  const byRun = db.prepare('SELECT * FROM occurrences WHERE run_id = ?')
  const removeOutboxEvent = db.prepare('DELETE FROM outbox_events WHERE id = ?')
  const add = db.prepare('INSERT OR IGNORE INTO notifications (channel, key, data, at, next_at) VALUES (?, ?, ?, ?, ?)')
  const due = db.prepare(
    'SELECT id, data, attempts FROM notifications WHERE channel = ? AND next_at <= ? ORDER BY id LIMIT ?',
  )
  const deliver = db.prepare('UPDATE notifications SET next_at = NULL, delivered_at = ?, error = NULL WHERE id = ?')
  const fail = db.prepare('UPDATE notifications SET next_at = ?, attempts = attempts + 1, error = ? WHERE id = ?')
  const pending = db.prepare('SELECT count(*) AS rows FROM notifications WHERE next_at IS NOT NULL')
  const givenUp = db.prepare(
    'SELECT count(*) AS rows FROM notifications WHERE next_at IS NULL AND delivered_at IS NULL',
  )
  const prune = db.prepare('DELETE FROM notifications WHERE next_at IS NULL AND at < ?')

  return {
    begin: () => queue.commit(() => void addCheckpoint.run(LISTENING, 1)),
    end: () =>
      queue.commit(() =>
        db.exec(`
          DELETE FROM checkpoints WHERE name = '${LISTENING}' OR name GLOB '${PREFIX}*';
          DELETE FROM outbox_events;
          DELETE FROM notifications WHERE next_at IS NOT NULL;
        `),
      ),
    events: async (limit) => events.all(limit).map(outboxEventOf),
    startedBy: async (runId) => {
      const row = byRun.get(runId)
      return row && occurrenceOf(row)
    },
    checkpoint: async (name) => {
      const value = getCheckpoint.get(`${PREFIX}${name}`)?.value
      return value === undefined ? undefined : Number(value)
    },
    commitBatch: (change) =>
      queue.commit(() => {
        for (const { channel, notification } of change.notifications) {
          const data = redact(stringifyJson(notification))
          add.run(channel, notification.key, data, notification.at, change.at)
        }
        for (const id of change.events) removeOutboxEvent.run(id)
        for (const [name, value] of change.checkpoints) {
          if (value === null) removeCheckpoint.run(`${PREFIX}${name}`)
          else setCheckpoint.run(`${PREFIX}${name}`, value)
        }
      }),
    due: async (channel, now, limit) => due.all(channel, now, limit).map(undeliveredOf),
    delivered: (ids, at) =>
      queue.commit(() => {
        for (const id of ids) deliver.run(at, id)
      }),
    failed: (ids, { error, nextAt }) =>
      queue.commit(() => {
        for (const id of ids) fail.run(nextAt ?? null, redact(error), id)
      }),
    counts: async () => ({ pending: Number(pending.get()?.rows), failed: Number(givenUp.get()?.rows) }),
    abandonOthers: (channels) =>
      queue.commit(() => {
        const known = channels.map(() => '?').join(', ')
        const give = `UPDATE notifications SET next_at = NULL WHERE next_at IS NOT NULL AND channel NOT IN (${known})`
        return Number(db.prepare(give).run(...channels).changes)
      }),
    prune: (before) => queue.commit(() => void prune.run(before)),
  }
}
