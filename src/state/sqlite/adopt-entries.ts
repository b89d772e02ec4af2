import type { DatabaseSync } from 'node:sqlite'
import { UNKNOWN_SERVICE } from '../sql/unknown-service.ts'

/** Entries of an unknown service become those of the service that their profile names. */
export function adoptEntries(
  db: DatabaseSync,
  table: 'made' | 'step_memory',
  { profile, service }: { readonly profile: string; readonly service: string },
): void {
  const unknown = [profile, UNKNOWN_SERVICE] as const
  // Look first: an update locks the database even if there is nothing to update.
  if (!db.prepare(`SELECT 1 FROM ${table} WHERE profile = ? AND service = ? LIMIT 1`).get(...unknown)) return
  db.prepare(`UPDATE OR IGNORE ${table} SET service = ? WHERE profile = ? AND service = ?`).run(service, ...unknown)
}
