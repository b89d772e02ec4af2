import type { RunHistory } from '../run-history.ts'
import { TABLES_OF_RUNS } from '../sql/effect-rows.ts'
import type { Database, Query } from './database.ts'

/** How many runs are removed before the time is checked again. */
const AT_ONCE = 50

const TABLES = [...TABLES_OF_RUNS, 'figures']

/** Removes runs, with all data about them. */
export function createPostgresRunRemoval(db: Database, steadyMs: () => number): RunHistory['remove'] {
  return (runIds, maxMs) => {
    const until = steadyMs() + maxMs
    return db.transaction(async (query) => {
      let removed = 0
      for (let first = 0; first < runIds.length; first += AT_ONCE) {
        removed += await remove(query, runIds.slice(first, first + AT_ONCE))
        if (steadyMs() >= until) break
      }
      return removed
    })
  }
}

async function remove(query: Query, runIds: readonly string[]): Promise<number> {
  const { rows } = await query(
    'DELETE FROM audience.runs WHERE run_id = ANY($1) AND finished_at IS NOT NULL RETURNING run_id, document',
    [runIds],
  )
  if (rows.length === 0) return 0
  const removed = rows.map((row) => row.run_id)
  for (const table of TABLES) await query(`DELETE FROM audience.${table} WHERE run_id = ANY($1)`, [removed])
  await removeDocuments(query, [...new Set(rows.map((row) => row.document))])
  return rows.length
}

/**
 * Removes documents that no run uses any more. Two statements are needed: the first locks the documents but skips those
 * that a submission is using, and the second sees all runs submitted before the lock. A later submission finds the
 * document gone and adds it again (see submit-run.ts).
 */
async function removeDocuments(query: Query, digests: readonly unknown[]): Promise<void> {
  const { rows } = await query(
    'SELECT digest FROM audience.documents WHERE digest = ANY($1) ORDER BY digest FOR UPDATE SKIP LOCKED',
    [digests],
  )
  await query(
    'DELETE FROM audience.documents WHERE digest = ANY($1) AND NOT EXISTS (SELECT 1 FROM audience.runs WHERE document = digest)',
    [rows.map((row) => row.digest)],
  )
}
