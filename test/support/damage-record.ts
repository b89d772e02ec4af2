import { DatabaseSync } from 'node:sqlite'

/** Damages a record of a run: it is no longer JSON. */
export function damageRecord(file: string, runId: string, seq: number): void {
  const db = new DatabaseSync(file)
  db.prepare(`UPDATE records SET data = '{"type":' WHERE run_id = ? AND seq = ?`).run(runId, seq)
  db.close()
}
