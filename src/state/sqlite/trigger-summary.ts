import type { DatabaseSync } from 'node:sqlite'
import type { TriggerSummary } from '../occurrence-store.ts'
import { summaryOf } from '../sql/occurrence-row.ts'

/** Counts occurrences by trigger. */
export function createTriggerSummary(db: DatabaseSync): (since: number) => TriggerSummary[] {
  const counted = 'SELECT pipeline, trigger_name, count(*) AS rows'
  const by = 'GROUP BY pipeline, trigger_name'
  const due = db.prepare(`${counted} FROM occurrences WHERE state = 'due' ${by}`)
  const open = db.prepare(`${counted} FROM occurrences WHERE open = 1 ${by}`)
  // Without the name of the index, it goes through all occurrences, in the order of the groups.
  const recent = db.prepare(`
    ${counted}, state, count(*) FILTER (WHERE detail ->> 'outcome' IN ('failed', 'cancelled')) AS run_failed
    FROM occurrences INDEXED BY occurrences_by_at WHERE at >= ? AND state <> 'due' ${by}, state`)
  // From the few new runs to their slots: the other way round, it goes through all old slots.
  const caughtUp = db.prepare(`
    SELECT o.pipeline, o.trigger_name, count(*) AS rows FROM runs CROSS JOIN occurrences AS o ON o.run_id = runs.run_id
    WHERE runs.submitted_at >= ? AND o.state = 'ran' AND o.at < ? GROUP BY o.pipeline, o.trigger_name`)

  return (since) =>
    summaryOf({
      due: due.all(),
      open: open.all(),
      recent: recent.all(since),
      caughtUp: caughtUp.all(since, since),
    })
}
