import { type RunRecord, signatureOf } from '../../core/run.ts'
import { nextAdmitted, type QueuedRun } from '../next-admitted.ts'
import type { RunMessage } from '../run-history.ts'
import type { NewRecord } from '../run-store.ts'
import { sentMessages } from './messages.ts'
import { type Row, rowsOf, type Work } from './work.ts'

/** A queued run that this process lets begin. */
interface AdmittedRun {
  readonly runId: string
  /** Its row, as `queued` returned it. */
  readonly row: Row
  /** To be added to the run in the same transaction. */
  readonly records: readonly NewRecord[]
}

/**
 * Chooses the queued runs that begin at the time `at`, in the order in which they begin. `queued` reads the rows of the
 * queued runs in order of submission. `admittedBy` says who may admit a run.
 */
export function* admittedNow(
  queued: Work<readonly Row[]>,
  { at, room, admittedBy }: { at: number; room: number; admittedBy: (row: Row) => QueuedRun['admittedBy'] },
): Work<readonly AdmittedRun[]> {
  if (room <= 0) return []
  const rows = new Map((yield* queued).map((row) => [String(row.run_id), row]))
  if (rows.size === 0) return []
  const groups = Map.groupBy(yield* rowsOf(GROUPS), (row) => row.run_id)
  const cancels = new Map(sentMessages(yield* rowsOf(CANCELS)).map(({ runId, message }) => [runId, message]))
  const runs = [...rows].map(([runId, row]) => ({
    runId,
    pipeline: String(row.pipeline),
    groups: (groups.get(runId) ?? []).map(({ name, max }) => ({ name: String(name), limit: Number(max) })),
    admittedBy: admittedBy(row),
    isCancelled: cancels.has(runId),
  }))
  const [inside, active] = [numbersOf(yield* rowsOf(INSIDE)), numbersOf(yield* rowsOf(ACTIVE))]
  const admitted = nextAdmitted(runs, { room, inside, active })
  if (admitted.length === 0) return []
  const last = new Map((yield* rowsOf(LAST, [admitted])).map(({ run_id, seq }) => [run_id, Number(seq)]))
  return admitted.flatMap((runId) => {
    const [row, before] = [rows.get(runId), last.get(runId)]
    // A run without records is damaged.
    if (row === undefined || before === undefined) return []
    const records = recordsOfAdmission(cancels.get(runId))
    return [{ runId, row, records: records.map((record, index) => ({ seq: before + 1 + index, at, record })) }]
  })
}

/** A run that was cancelled while it was queued begins only so that it can end. */
function recordsOfAdmission(cancel: RunMessage | undefined): readonly RunRecord[] {
  const admitted = { type: 'run.admitted' } as const
  return cancel ? [admitted, { type: 'cancel.requested', ...signatureOf(cancel) }] : [admitted]
}

const GROUPS = `SELECT run_id, name, max FROM audience.run_groups JOIN audience.runs USING (run_id)
  WHERE status = 'queued' ORDER BY name`

/** If a run was cancelled several times, the first message counts, which comes last here. */
const CANCELS = `SELECT id, run_id, data FROM audience.messages WHERE data LIKE '%"kind":"cancel"%' ORDER BY id DESC`

/** Every unfinished run that is not queued takes a place in its groups, whichever process owns it. */
const INSIDE = `SELECT name, count(*) AS runs FROM audience.run_groups JOIN audience.runs USING (run_id)
  WHERE status <> 'queued' GROUP BY name`

const ACTIVE = `
  SELECT coalesce((SELECT min(name) FROM audience.run_groups g WHERE g.run_id = runs.run_id), pipeline) AS name,
    count(*) AS runs
  FROM audience.runs WHERE finished_at IS NULL AND status <> 'queued' GROUP BY 1`

const LAST = 'SELECT run_id, max(seq) AS seq FROM audience.records WHERE run_id = ANY($1) GROUP BY run_id'

function numbersOf(rows: readonly Row[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ name, runs }) => [String(name), Number(runs)]))
}
