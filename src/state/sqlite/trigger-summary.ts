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

  const caughtUp = db.prepare(`
    SELECT o.pipeline, o.trigger_name, count(*) AS rows FROM occurrences AS o JOIN runs USING (run_id)
    WHERE o.state = 'ran' AND o.at < ? AND runs.submitted_at >= ? GROUP BY o.pipeline, o.trigger_name`)

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
