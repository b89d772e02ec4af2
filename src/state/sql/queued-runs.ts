import { type RunRecord, signatureOf } from '../../core/run.ts'
import { nextAdmitted, type QueuedRun } from '../next-admitted.ts'
import { messagesIn } from './messages.ts'
import { type Row, rowsOf, type Work } from './work.ts'

/**
 * The queued runs that this process lets begin now, in this order: its own runs and, with `orphans`, runs of no living
 * process. `queued` reads their rows in order of submission.
 */
export function* admittedNow(
  queued: Work<readonly Row[]>,
  { room, admittedBy }: { readonly room: number; readonly admittedBy: (row: Row) => QueuedRun['admittedBy'] },
): Work<readonly string[]> {
  if (room <= 0) return []
  const rows = yield* queued
  if (rows.length === 0) return []
  const groups = Map.groupBy(yield* rowsOf(GROUPS), (row) => row.run_id)
  const cancelled = new Set((yield* rowsOf(CANCELLED)).map((row) => row.run_id))
  const runs = rows.map((row) => ({
    runId: String(row.run_id),
    pipeline: String(row.pipeline),
    groups: (groups.get(row.run_id) ?? []).map(({ name, max }) => ({ name: String(name), limit: Number(max) })),
    admittedBy: admittedBy(row),
    isCancelled: cancelled.has(row.run_id),
  }))
  const [inside, active] = [numbersOf(yield* rowsOf(INSIDE)), numbersOf(yield* rowsOf(ACTIVE))]
  return nextAdmitted(runs, { room, inside, active })
}

/** The record of a run that is admitted. A run cancelled while it was queued begins only so that it can end. */
export function* recordsOfAdmission(runId: string): Work<readonly RunRecord[]> {
  const messages = messagesIn(
    yield* rowsOf('SELECT data FROM audience.messages WHERE run_id = $1 ORDER BY id', [runId]),
  )
  const cancel = messages.find(({ kind }) => kind === 'cancel')
  return [{ type: 'run.admitted' }, ...(cancel ? [{ type: 'cancel.requested', ...signatureOf(cancel) } as const] : [])]
}

const GROUPS = `SELECT run_id, name, max FROM audience.run_groups JOIN audience.runs USING (run_id)
  WHERE status = 'queued' ORDER BY name`

const CANCELLED = `SELECT run_id FROM audience.messages WHERE data LIKE '%"kind":"cancel"%'`

/** Every unfinished run that is not queued takes a place in its groups, whichever process owns it. */
const INSIDE = `SELECT name, count(*) AS runs FROM audience.run_groups JOIN audience.runs USING (run_id)
  WHERE status <> 'queued' GROUP BY name`

const ACTIVE = `
  SELECT coalesce((SELECT min(name) FROM audience.run_groups g WHERE g.run_id = runs.run_id), pipeline) AS name,
    count(*) AS runs
  FROM audience.runs WHERE finished_at IS NULL AND status <> 'queued' GROUP BY 1`

function numbersOf(rows: readonly Row[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ name, runs }) => [String(name), Number(runs)]))
}
