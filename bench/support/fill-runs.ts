import { openState } from '../../src/state/sqlite/open-state.ts'

const HOUR_MS = 3_600_000

/** Gives each run a slot. */
export function fillSlots(folder: string): void {
  const db = openState(folder)
  db.exec(`INSERT INTO occurrences (pipeline, trigger_name, key, at, state, run_id)
    SELECT pipeline, 'night', trigger_label || run_id, submitted_at, 'ran', run_id FROM runs`)
  db.close()
}

/**
 * Fills a state with the runs of a year, as the journal writes them but without records. One in twelve has failed; the
 * newest `waiting` runs wait for a person.
 */
export function fillRuns(
  folder: string,
  {
    runs,
    waiting,
    now,
    pipelines = 40,
  }: { readonly runs: number; readonly waiting: number; readonly now: number; readonly pipelines?: number },
): void {
  const db = openState(folder)
  const run = db.prepare(`
    INSERT INTO runs (run_id, pipeline, status, submitted_at, began_at, finished_at, trigger_kind, trigger_id, trigger_label,
      error_step, error_message, updated_seq)
    VALUES (?, ?, ?, ?, ?, ?, 'schedule', 'night', ?, ?, ?, ?)`)
  const figure = db.prepare(`INSERT INTO run_figures VALUES (?, 'match', 'matchCount', ?)`)
  const apart = (365 * 24 * HOUR_MS) / runs
  db.exec('BEGIN')
  for (let n = 1; n <= runs; n++) {
    const at = Math.round(now - (runs - n + 1) * apart)
    const id = `run-${String(n).padStart(9, '0')}`
    const pipeline = `pipeline-${n % pipelines}`
    const failed = n % 12 === 0
    const status = n > runs - waiting ? 'waiting' : failed ? 'failed' : 'succeeded'
    const why = failed ? `the match was rejected by job ${n}` : null
    const ended = status === 'waiting' ? null : at + 60_000
    const label = new Date(at).toISOString()
    run.run(...[id, pipeline, status, at, at, ended, label, failed ? 'match' : null, why, n])
    figure.run(id, 1000 + (n % 97))
  }
  db.exec(`
    INSERT INTO run_hours SELECT pipeline, submitted_at / ${HOUR_MS}, status, count(*) FROM runs
      WHERE finished_at IS NOT NULL GROUP BY 1, 2, 3;
    INSERT INTO run_hours SELECT '', hour, status, sum(runs) FROM run_hours GROUP BY 2, 3;
    COMMIT`)
  db.close()
}
