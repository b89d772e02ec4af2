import type { DatabaseSync } from 'node:sqlite'
import type { TriggerSummary } from '../occurrence-store.ts'

const NOTHING = { ran: 0, skipped: 0, missed: 0, failed: 0, runFailed: 0 }

/** Counts occurrences by trigger. */
export function createTriggerSummary(db: DatabaseSync): (since: number) => TriggerSummary[] {
  const counted = 'SELECT pipeline, trigger_name, count(*) AS rows'
  const by = 'GROUP BY pipeline, trigger_name'
  const due = db.prepare(`${counted} FROM occurrences WHERE state = 'due' ${by}`)
  const open = db.prepare(`${counted} FROM occurrences WHERE open = 1 ${by}`)
  const recent = db.prepare(`
    ${counted}, state, count(*) FILTER (WHERE detail ->> 'outcome' IN ('failed', 'cancelled')) AS run_failed
    FROM occurrences WHERE at >= ? AND state <> 'due' ${by}, state`)
  // From the few new runs to their slots: the other way round, it goes through all old slots.
  const caughtUp = db.prepare(`
    SELECT o.pipeline, o.trigger_name, count(*) AS rows FROM runs CROSS JOIN occurrences AS o ON o.run_id = runs.run_id
    WHERE runs.submitted_at >= ? AND o.state = 'ran' AND o.at < ? GROUP BY o.pipeline, o.trigger_name`)

  return (since) => {
    const triggers = new Map<string, TriggerSummary>()
    const add = (row: Record<string, unknown>, change: (known: TriggerSummary) => Partial<TriggerSummary>) => {
      const ref = { pipeline: String(row.pipeline), trigger: String(row.trigger_name) }
      const key = `${ref.pipeline}/${ref.trigger}`
      const known = triggers.get(key) ?? { ...ref, due: 0, open: 0, caughtUp: 0, recent: NOTHING }
      triggers.set(key, { ...known, ...change(known) })
    }
    for (const row of due.all()) add(row, () => ({ due: Number(row.rows) }))
    for (const row of open.all()) add(row, () => ({ open: Number(row.rows) }))
    for (const row of recent.all(since)) {
      const counts = {
        [String(row.state)]: Number(row.rows),
        ...(row.state === 'ran' && { runFailed: Number(row.run_failed) }),
      }
      add(row, (known) => ({ recent: { ...known.recent, ...counts } }))
    }
    for (const row of caughtUp.all(since, since)) add(row, () => ({ caughtUp: Number(row.rows) }))
    return [...triggers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, trigger]) => trigger)
  }
}
