import { openState } from '../../src/state/sqlite/open-state.ts'
import { fillRuns } from '../support/fill-runs.ts'

/** The runs of a year in 40 pipelines, the slot of each, and an entry of the audit log for each. */
export function fillHistory(folder: string, runs: number): void {
  fillRuns(folder, { runs, waiting: 0, now: Date.now() - 60_000 })
  const db = openState(folder)
  db.exec(`
    BEGIN;
    INSERT INTO occurrences (pipeline, trigger_name, key, at, state, run_id)
      SELECT pipeline, 'night', trigger_label, submitted_at, 'ran', run_id FROM runs;
    INSERT INTO audit (at, who, role, act, subject, outcome)
      SELECT submitted_at, 'person-' || (updated_seq % 20), 'operator', 'run.start', run_id, 'done' FROM runs;
    COMMIT`)
  db.close()
}
