import type { Redact } from '../../core/secrets.ts'
import type { OccurrenceStore } from '../occurrence-store.ts'
import { addOccurrenceFilter } from '../sql/filters.ts'
import { endedOf, memoryOf, occurrenceOf, summaryOf, triggerOf } from '../sql/occurrence-row.ts'
import type { AddAct } from './audit-rows.ts'
import { Conditions } from './conditions.ts'
import type { Database } from './database.ts'
import { detailText, putOccurrences } from './occurrence-rows.ts'

/** The occurrence store in the database. Submitting a run takes its occurrence in the transaction of the run. */
export function createOccurrenceStore(
  db: Database,
  { redact, addAct }: { readonly redact: Redact; readonly addAct: AddAct },
): OccurrenceStore {
  const counted = 'SELECT pipeline, trigger_name, count(*) AS rows'
  const by = 'GROUP BY pipeline, trigger_name'
  return {
    async memory({ pipeline, trigger }) {
      const row = await db.row('SELECT * FROM audience.triggers WHERE pipeline = $1 AND name = $2', [pipeline, trigger])
      return row && memoryOf(row)
    },
    memories: async () => (await db.rows('SELECT * FROM audience.triggers ORDER BY pipeline, name')).map(memoryOf),
    note: ({ pipeline, trigger }, { occurrences = [], cursor, times = null, act }) =>
      db.transaction(async (query) => {
        const noted = occurrences.map((occurrence) => ({ ...occurrence, pipeline, trigger }))
        await putOccurrences(query, noted, redact)
        if (cursor !== undefined)
          await query(
            `INSERT INTO audience.triggers AS known (pipeline, name, cursor, times) VALUES ($1, $2, $3, $4)
              ON CONFLICT (pipeline, name) DO UPDATE SET
                cursor = greatest(excluded.cursor, known.cursor), times = coalesce(excluded.times, known.times)`,
            [pipeline, trigger, cursor, times],
          )
        if (act) await addAct(query, { ...act, subject: `${pipeline}/${trigger}`, outcome: 'done' })
      }),
    pause: ({ pipeline, trigger }, at, actor) =>
      db.transaction(async (query) => {
        await query(
          `INSERT INTO audience.triggers AS known (pipeline, name, paused_at) VALUES ($1, $2, $3)
            ON CONFLICT (pipeline, name) DO UPDATE SET paused_at = coalesce(known.paused_at, excluded.paused_at)`,
          [pipeline, trigger, at],
        )
        if (actor)
          await addAct(query, { ...actor, act: 'schedule.pause', subject: `${pipeline}/${trigger}`, outcome: 'done' })
      }),
    unpause: ({ pipeline, trigger }, actor) =>
      db.transaction(async (query) => {
        await query('UPDATE audience.triggers SET paused_at = NULL WHERE pipeline = $1 AND name = $2', [
          pipeline,
          trigger,
        ])
        if (actor)
          await addAct(query, { ...actor, act: 'schedule.resume', subject: `${pipeline}/${trigger}`, outcome: 'done' })
      }),
    async find({ pipeline, trigger, key }) {
      const row = await db.row(
        'SELECT * FROM audience.occurrences WHERE pipeline = $1 AND trigger_name = $2 AND key = $3',
        [pipeline, trigger, key],
      )
      return row && occurrenceOf(row)
    },
    async list(filter) {
      const conditions = new Conditions()
      addOccurrenceFilter(conditions, filter)
      const limit = conditions.value(filter.limit)
      const rows = await db.rows(
        `SELECT * FROM audience.occurrences ${conditions.where} ORDER BY at DESC, id DESC LIMIT ${limit}`,
        conditions.values,
      )
      return rows.map(occurrenceOf)
    },
    async due({ pipeline, trigger }, limit) {
      const rows = await db.rows(
        `SELECT * FROM audience.occurrences WHERE pipeline = $1 AND trigger_name = $2 AND state = 'due'
          ORDER BY at, id LIMIT $3`,
        [pipeline, trigger, limit],
      )
      return rows.map(occurrenceOf)
    },
    triggersDue: async () =>
      (await db.rows(`SELECT DISTINCT pipeline, trigger_name FROM audience.occurrences WHERE state = 'due'`)).map(
        triggerOf,
      ),
    async ended({ pipeline, trigger }, limit) {
      const rows = await db.rows(
        `SELECT o.*, runs.status AS ended_as FROM audience.occurrences AS o LEFT JOIN audience.runs USING (run_id)
          WHERE o.pipeline = $1 AND trigger_name = $2 AND open AND state <> 'due'
            AND (runs.run_id IS NULL OR runs.finished_at IS NOT NULL)
          ORDER BY at, id LIMIT $3`,
        [pipeline, trigger, limit],
      )
      return rows.map(endedOf)
    },
    summary: async (since) =>
      summaryOf({
        due: await db.rows(`${counted} FROM audience.occurrences WHERE state = 'due' ${by}`),
        open: await db.rows(`${counted} FROM audience.occurrences WHERE open ${by}`),
        recent: await db.rows(
          `${counted}, state, count(*) FILTER (WHERE detail LIKE '%"outcome":"failed"%' OR detail LIKE '%"outcome":"cancelled"%') AS run_failed
            FROM audience.occurrences WHERE at >= $1 AND state <> 'due' ${by}, state`,
          [since],
        ),
        caughtUp: await db.rows(
          `SELECT o.pipeline, o.trigger_name, count(*) AS rows FROM audience.occurrences AS o
              JOIN audience.runs USING (run_id)
            WHERE o.state = 'ran' AND o.at < $1 AND runs.submitted_at >= $1 GROUP BY o.pipeline, o.trigger_name`,
          [since],
        ),
      }),
    async forget({ before, limit }) {
      const { changes } = await db.query(
        `DELETE FROM audience.occurrences WHERE id IN (
            SELECT id FROM audience.occurrences AS o WHERE at < $1 AND NOT open AND state <> 'due'
              AND NOT EXISTS (SELECT 1 FROM audience.runs WHERE runs.run_id = o.run_id AND finished_at IS NULL)
            ORDER BY at LIMIT $2)`,
        [before, limit],
      )
      return changes
    },
    async close({ pipeline, trigger, key }, detail) {
      await db.query(
        'UPDATE audience.occurrences SET open = false, detail = $4 WHERE pipeline = $1 AND trigger_name = $2 AND key = $3',
        [pipeline, trigger, key, detailText(detail, redact)],
      )
    },
  }
}
