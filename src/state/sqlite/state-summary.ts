import type { DatabaseSync } from 'node:sqlite'
import type { OccurrenceState, TriggerRef } from '../../core/occurrence.ts'
import type { FinalStatus } from '../../core/run.ts'

/** Counts over the state, for status and health. Times are in milliseconds since 1970. */
export interface StateSummary {
  /** Runs that ended at or after `since`. */
  endedSince(since: number): Readonly<Record<FinalStatus, number>>
  /** By trigger, in the order of their names; only triggers with a count. */
  triggers(since: number): readonly TriggerSummary[]
}

export interface TriggerSummary extends TriggerRef {
  /** Waiting for a run, which starts as soon as possible. */
  readonly due: number
  /** Files in progress: taken, and not yet in `done` or `failed`. */
  readonly open: number
  /**
   * The outcomes of slots and files at or after `since`. `runFailed` counts those of `ran` whose file went to `failed`.
   */
  readonly recent: Readonly<Record<Exclude<OccurrenceState, 'due'> | 'runFailed', number>>
  /** Slots before `since` whose run was made at or after `since`, as by a backfill. */
  readonly caughtUp: number
}

const NOTHING = { ran: 0, skipped: 0, missed: 0, failed: 0, runFailed: 0 }

export function createStateSummary(db: DatabaseSync): StateSummary {
  const ended = db.prepare('SELECT status, count(*) AS rows FROM runs WHERE finished_at >= ? GROUP BY status')
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

  return {
    endedSince(since) {
      const counts = { succeeded: 0, failed: 0, cancelled: 0 }
      for (const { status, rows } of ended.all(since)) Object.assign(counts, { [String(status)]: Number(rows) })
      return counts
    },
    triggers(since) {
      const triggers = new Map<string, TriggerSummary>()
      const add = (row: Record<string, unknown>, change: (known: TriggerSummary) => Partial<TriggerSummary>) => {
        const ref = { pipeline: String(row.pipeline), trigger: String(row.trigger_name) }
        const key = `${ref.pipeline}/${ref.trigger}`
        const known = triggers.get(key) ?? { ...ref, due: 0, open: 0, caughtUp: 0, recent: NOTHING }
        triggers.set(key, { ...known, ...change(known) })
      }
      for (const row of due.all()) add(row, () => ({ due: Number(row.rows) }))
      for (const row of open.all()) add(row, () => ({ open: Number(row.rows) }))
      for (const row of caughtUp.all(since, since)) add(row, () => ({ caughtUp: Number(row.rows) }))
      for (const row of recent.all(since)) {
        const counts = {
          [String(row.state)]: Number(row.rows),
          ...(row.state === 'ran' && { runFailed: Number(row.run_failed) }),
        }
        add(row, (known) => ({ recent: { ...known.recent, ...counts } }))
      }
      return [...triggers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, trigger]) => trigger)
    },
  }
}
