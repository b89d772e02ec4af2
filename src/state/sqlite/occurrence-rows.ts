import type { DatabaseSync } from 'node:sqlite'
import { type JsonObject, stringifyJson } from '../../core/json.ts'
import type { Occurrence, OccurrenceRef } from '../../core/occurrence.ts'
import { type AskedOccurrence, askedOccurrence } from '../asked-occurrence.ts'
import { occurrenceOf } from '../sql/occurrence-row.ts'

/** The table `occurrences`. Methods that write must be called within a transaction. */
export interface OccurrenceRows {
  find(ref: OccurrenceRef): Occurrence | undefined
  /** Adds or replaces; an existing occurrence in a state other than `due` stays unchanged. */
  put(occurrence: Occurrence): void
  /** Accounts for an occurrence with a run. If it is already accounted for, `runId` is its run, if it has one. */
  take(occurrence: AskedOccurrence, runId: string): { taken: true } | { taken: false; runId?: string }
  /**
   * Instead of `take`: a busy group does not admit the run. An occurrence that is already accounted for stays
   * unchanged.
   */
  settle(occurrence: AskedOccurrence, state: 'skipped' | 'failed', reason: string): void
  /** Closes it: no work is left. */
  close(ref: OccurrenceRef, detail: JsonObject): void
}

export function createOccurrenceRows(db: DatabaseSync, redact: (text: string) => string): OccurrenceRows {
  const byKey = db.prepare('SELECT * FROM occurrences WHERE pipeline = ? AND trigger_name = ? AND key = ?')
  const put = db.prepare(`
    INSERT INTO occurrences (pipeline, trigger_name, key, at, state, reason, run_id, detail, open)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (pipeline, trigger_name, key) DO UPDATE SET
      at = excluded.at, state = excluded.state, reason = excluded.reason, run_id = excluded.run_id,
      detail = excluded.detail, open = excluded.open
    WHERE state = 'due'`)
  const close = db.prepare(
    'UPDATE occurrences SET open = 0, detail = ? WHERE pipeline = ? AND trigger_name = ? AND key = ?',
  )

  const rows: OccurrenceRows = {
    find: ({ pipeline, trigger, key }) => {
      const row = byKey.get(pipeline, trigger, key)
      return row && occurrenceOf(row)
    },
    put: ({ pipeline, trigger, key, at, state, reason, runId, detail, open }) => {
      put.run(
        ...[pipeline, trigger, key, at, state],
        reason === undefined ? null : redact(reason),
        runId ?? null,
        detail ? redact(stringifyJson(detail)) : null,
        open ? 1 : 0,
      )
    },
    take(asked, runId) {
      const known = rows.find(asked)
      if (known && known.state !== 'due') {
        return { taken: false, ...(known.runId !== undefined && { runId: known.runId }) }
      }
      rows.put({ ...askedOccurrence(asked, known), state: 'ran', runId })
      return { taken: true }
    },
    settle: (asked, state, reason) => rows.put({ ...askedOccurrence(asked, rows.find(asked)), state, reason }),
    close: ({ pipeline, trigger, key }, detail) => {
      close.run(redact(stringifyJson(detail)), pipeline, trigger, key)
    },
  }
  return rows
}
