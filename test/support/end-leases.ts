import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Ends the leases of all owners, as after a pause that is longer than a lease. The processes still run. */
export function endLeases(stateFolder: string): void {
  const db = new DatabaseSync(join(stateFolder, 'runs.db'), { timeout: 5000 })
  db.exec('UPDATE owners SET expires_at = 0, steady_until = 0')
  db.close()
}
