import type { DatabaseSync } from 'node:sqlite'
import type { Redact } from '../../core/secrets.ts'
import type { OccurrenceStore } from '../occurrence-store.ts'
import { addOccurrenceFilter } from '../sql/filters.ts'
import { endedOf, memoryOf, occurrenceOf, triggerOf } from '../sql/occurrence-row.ts'
import type { AddAct } from './audit-rows.ts'
import type { CommitQueue } from './commit-queue.ts'
import { Conditions } from './conditions.ts'
import { createOccurrenceRows } from './occurrence-rows.ts'
import { createTriggerSummary } from './trigger-summary.ts'

/** The occurrence store in the state database. The journal takes occurrences from it in the transaction of their runs. */
export function createSqliteOccurrenceStore(state: {
  readonly db: DatabaseSync
  readonly queue: CommitQueue
  readonly redact: Redact
  readonly addAct: AddAct
}): OccurrenceStore {
  const { db, queue, redact, addAct } = state
  const rows = createOccurrenceRows(db, redact)
  const summary = createTriggerSummary(db)
  const memory = db.prepare('SELECT * FROM triggers WHERE pipeline = ? AND name = ?')
  const memories = db.prepare('SELECT * FROM triggers')
  const forward = db.prepare(`
    INSERT INTO triggers (pipeline, name, cursor, times) VALUES (?, ?, ?, ?)
    ON CONFLICT (pipeline, name) DO UPDATE SET
      cursor = MAX(excluded.cursor, COALESCE(cursor, excluded.cursor)), times = COALESCE(excluded.times, times)`)
  const pause = db.prepare(`
    INSERT INTO triggers (pipeline, name, paused_at) VALUES (?, ?, ?)
    ON CONFLICT (pipeline, name) DO UPDATE SET paused_at = COALESCE(paused_at, excluded.paused_at)`)
  const unpause = db.prepare('UPDATE triggers SET paused_at = NULL WHERE pipeline = ? AND name = ?')
  const due = db.prepare(
    `SELECT * FROM occurrences WHERE pipeline = ? AND trigger_name = ? AND state = 'due' ORDER BY at, id LIMIT ?`,
  )
  const triggersDue = db.prepare(`SELECT DISTINCT pipeline, trigger_name FROM occurrences WHERE state = 'due'`)
  const ended = db.prepare(`
    SELECT occurrences.*, runs.status AS ended_as FROM occurrences LEFT JOIN runs USING (run_id)
    WHERE occurrences.pipeline = ? AND trigger_name = ? AND open = 1 AND state <> 'due'
      AND (runs.run_id IS NULL OR runs.finished_at IS NOT NULL)
    ORDER BY at, id LIMIT ?`)
  const forget = db.prepare(`
    DELETE FROM occurrences WHERE id IN (
      SELECT id FROM occurrences AS o WHERE at < ? AND open = 0 AND state <> 'due'
        AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.run_id = o.run_id AND finished_at IS NULL)
      ORDER BY at LIMIT ?)`)

  return {
    memory: async ({ pipeline, trigger }) => {
      const row = memory.get(pipeline, trigger)
      return row && memoryOf(row)
    },
    memories: async () => memories.all().map(memoryOf),
    note: ({ pipeline, trigger }, { occurrences = [], cursor, times, act }) =>
      queue.commit(() => {
        for (const occurrence of occurrences) rows.put({ ...occurrence, pipeline, trigger })
        if (cursor !== undefined) forward.run(pipeline, trigger, cursor, times ?? null)
        if (act) addAct({ ...act, subject: `${pipeline}/${trigger}`, outcome: 'done' })
      }),
    pause: ({ pipeline, trigger }, at, actor) =>
      queue.commit(() => {
        pause.run(pipeline, trigger, at)
        if (actor) addAct({ ...actor, act: 'schedule.pause', subject: `${pipeline}/${trigger}`, outcome: 'done' })
      }),
    unpause: ({ pipeline, trigger }, actor) =>
      queue.commit(() => {
        unpause.run(pipeline, trigger)
        if (actor) addAct({ ...actor, act: 'schedule.resume', subject: `${pipeline}/${trigger}`, outcome: 'done' })
      }),
    find: async (ref) => rows.find(ref),
    async list(filter) {
      const conditions = new Conditions()
      addOccurrenceFilter(conditions, filter)
      const query = db.prepare(`SELECT * FROM occurrences ${conditions.where} ORDER BY at DESC, id DESC LIMIT ?`)
      return query.all(...conditions.values, filter.limit).map(occurrenceOf)
    },
    due: async ({ pipeline, trigger }, limit) => due.all(pipeline, trigger, limit).map(occurrenceOf),
    triggersDue: async () => triggersDue.all().map(triggerOf),
    ended: async ({ pipeline, trigger }, limit) => ended.all(pipeline, trigger, limit).map(endedOf),
    summary: async (since) => summary(since),
    forget: ({ before, limit }) => queue.commit(() => Number(forget.run(before, limit).changes)),
    close: (ref, detail) => queue.commit(() => rows.close(ref, detail)),
  }
}
