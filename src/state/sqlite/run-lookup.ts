import type { DatabaseSync } from 'node:sqlite'
import { type JsonObject, parseJson } from '../../core/json.ts'
import type { RunRecord } from '../../core/run.ts'

/** Finds runs for people who type commands. */
export interface RunLookup {
  /**
   * The ids that a shortened id can mean, newest first: those that begin with it, and those whose part after the time
   * begins or ends with it. A whole id means only itself.
   */
  named(text: string, limit: number): readonly string[]
  /** The newest run. */
  latest(): string | undefined
  /** What started a run, by its record; empty for an unknown run. */
  trigger(runId: string): JsonObject
  /** The first and the last record of a run; none for an unknown run. */
  ends(runId: string): { readonly first: RunRecord; readonly last: RunRecord } | undefined
}

export function createRunLookup(db: DatabaseSync): RunLookup {
  const exact = db.prepare('SELECT run_id FROM runs WHERE run_id = ?')
  const shortened = db.prepare(`
    SELECT run_id FROM runs
    WHERE substr(run_id, 1, length(:text)) = :text OR instr(run_id, '-' || :text) > 0
      OR substr(run_id, -length(:text)) = :text
    ORDER BY run_id DESC LIMIT :limit`)
  const latest = db.prepare('SELECT run_id FROM runs ORDER BY submitted_at DESC, run_id DESC LIMIT 1')
  const trigger = db.prepare("SELECT data -> '$.trigger' AS trigger FROM records WHERE run_id = ? AND seq = 0")
  const first = db.prepare('SELECT data FROM records WHERE run_id = ? ORDER BY seq LIMIT 1')
  const last = db.prepare('SELECT data FROM records WHERE run_id = ? ORDER BY seq DESC LIMIT 1')
  // Only the journal writes this column.
  const recordOf = (row: Record<string, unknown>) => parseJson(String(row.data)) as unknown as RunRecord

  return {
    named(text, limit) {
      const whole = exact.get(text)
      if (whole) return [String(whole.run_id)]
      return text === '' ? [] : shortened.all({ text, limit }).map((row) => String(row.run_id))
    },
    latest() {
      const row = latest.get()
      return row && String(row.run_id)
    },
    trigger(runId) {
      const text = trigger.get(runId)?.trigger
      // Only the journal writes this column.
      return typeof text === 'string' ? (parseJson(text) as JsonObject) : {}
    },
    ends(runId) {
      const [begin, end] = [first.get(runId), last.get(runId)]
      return begin && end && { first: recordOf(begin), last: recordOf(end) }
    },
  }
}
