import { DatabaseSync } from 'node:sqlite'

/** Makes a record of a run unreadable: what is left of it is not JSON. */
export function damageRecord(file: string, runId: string, seq: number): void {
  const db = new DatabaseSync(file)
  db.prepare(`UPDATE records SET data = '{"type":' WHERE run_id = ? AND seq = ?`).run(runId, seq)
  db.close()
}
