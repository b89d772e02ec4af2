import { stringifyJson } from '../../core/json.ts'
import { type RunRecord, signatureOf } from '../../core/run.ts'
import { fairOrder } from '../fair-order.ts'
import { messagesIn } from '../rows/sent-message.ts'
import type { Query, Row } from './database.ts'
import { groupLock, lockAll } from './run-locks.ts'
import type { WritesDeps } from './writes-deps.ts'

export interface Admission {
  /** In milliseconds since 1970. */
  readonly at: number
  readonly room: number
  /** Also runs that no living process owns. */
  readonly orphans: boolean
}

/**
 * Admits queued runs within a transaction, as `admit` of the journal does: those of `owner` and, with `orphans`, those
 * of no living process. Returns their ids, in the order in which they begin.
 */
export async function admitRuns(
  query: Query,
  { at, room, orphans }: Admission,
  { owner, here }: WritesDeps & { readonly owner: string },
): Promise<readonly string[]> {
  const { rows: names } = await query(
    `SELECT DISTINCT name FROM audience.run_groups JOIN audience.runs USING (run_id) WHERE status = 'queued'`,
  )
  await lockAll(query, ['admission', ...names.map((row) => groupLock(String(row.name)))])
  const { rows } = await query(
    `SELECT runs.run_id, pipeline, runs.executor = $1 AS is_ours,
       EXISTS (SELECT 1 FROM audience.messages m WHERE m.run_id = runs.run_id AND data LIKE '%"kind":"cancel"%') AS is_cancelled, workers.executor IS NOT NULL AS is_owned,
       profile = $2 AND (service IS NULL OR service = $3) AS is_of_here,
       ARRAY(SELECT name FROM audience.run_groups g WHERE g.run_id = runs.run_id ORDER BY name) AS names,
       ARRAY(SELECT max FROM audience.run_groups g WHERE g.run_id = runs.run_id ORDER BY name) AS limits
     FROM audience.runs LEFT JOIN audience.workers ON workers.executor = runs.executor AND expires_at > now()
     WHERE status = 'queued' ORDER BY submitted_at, runs.run_id`,
    [owner, here.profile, here.service ?? null],
  )
  if (rows.length === 0 || room <= 0) return []
  const taken = await placesTaken(query)
  const candidates = rows.map(queuedRun).flatMap(({ runId, kind, groups, ...row }) => {
    const isOrphan = orphans && row.isOfHere && !row.isOwned
    // A run that no process will admit blocks no other run.
    if (!row.isOurs && !isOrphan && !row.isOwned) return []
    // It begins only to end, and waits for nobody.
    if (row.isCancelled && (row.isOurs || isOrphan)) return [{ runId, kind }]
    // The first run of a queue keeps the next place in it, even if it cannot begin yet for another reason.
    const fits = groups.every(({ name, limit }) => (taken.get(name) ?? 0) < limit)
    for (const { name } of groups) taken.set(name, (taken.get(name) ?? 0) + 1)
    return fits && (row.isOurs || isOrphan) ? [{ runId, kind }] : []
  })
  const order = fairOrder(candidates, await activeByKind(query)).slice(0, Math.min(room, candidates.length))
  for (const runId of order) await admit(query, { runId, at })
  return order
}

function queuedRun(row: Row) {
  // Only `submitRun` writes these columns.
  const [names, limits] = [row.names as readonly string[], row.limits as readonly number[]]
  return {
    runId: String(row.run_id),
    kind: names[0] ?? String(row.pipeline),
    isOurs: row.is_ours === true,
    isCancelled: row.is_cancelled === true,
    isOwned: row.is_owned === true,
    isOfHere: row.is_of_here === true,
    groups: names.map((name, index) => ({ name, limit: limits[index] ?? 0 })),
  }
}

/** By group. All unfinished runs of a group that are not queued take its places. */
async function placesTaken(query: Query): Promise<Map<string, number>> {
  const { rows } = await query(
    `SELECT name, count(*) AS runs FROM audience.run_groups JOIN audience.runs USING (run_id)
     WHERE status <> 'queued' GROUP BY name`,
  )
  return new Map(rows.map((row) => [String(row.name), Number(row.runs)]))
}

async function activeByKind(query: Query): Promise<ReadonlyMap<string, number>> {
  const { rows } = await query(
    `SELECT coalesce((SELECT min(name) FROM audience.run_groups g WHERE g.run_id = runs.run_id), pipeline) AS kind,
       count(*) AS runs
     FROM audience.runs WHERE finished_at IS NULL AND status <> 'queued' GROUP BY kind`,
  )
  return new Map(rows.map((row) => [String(row.kind), Number(row.runs)]))
}

async function admit(query: Query, { runId, at }: { readonly runId: string; readonly at: number }): Promise<void> {
  const { rows: messages } = await query('SELECT data FROM audience.messages WHERE run_id = $1 ORDER BY id', [runId])
  // A run that is cancelled in the queue begins only to end.
  const cancel = messagesIn(messages).find(({ kind }) => kind === 'cancel')
  const records: RunRecord[] = [
    { type: 'run.admitted' },
    ...(cancel ? [{ type: 'cancel.requested' as const, ...signatureOf(cancel) }] : []),
  ]
  for (const record of records)
    await query(
      `INSERT INTO audience.records (run_id, seq, at, data)
       SELECT $1, max(seq) + 1, $2, $3 FROM audience.records WHERE run_id = $1`,
      [runId, at, stringifyJson(record)],
    )
  await query(`UPDATE audience.runs SET status = 'running', began_at = $2 WHERE run_id = $1`, [runId, at])
}
