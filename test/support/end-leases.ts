import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Leaves the leases of all owners as a pause beyond them does: they are over, and the processes are there. */
export function endLeases(stateFolder: string): void {
  const db = new DatabaseSync(join(stateFolder, 'runs.db'), { timeout: 5000 })
  db.exec('UPDATE owners SET expires_at = 0, steady_until = 0')
  db.close()
}
