import { unpackRecords } from '../../src/state/sqlite/packed-records.ts'
import { type Project, stateRows } from './daemon.ts'

export interface RecordedRun {
  readonly runId: string
  readonly pipeline: string
  readonly status: string
  /** Its first record. */
  readonly begun: { readonly inputs: Record<string, unknown>; readonly trigger: Record<string, unknown> }
}

/** All runs of a project and their submissions, packed or not. Its daemon may be running. */
export function recordedRuns(project: Pick<Project, 'folder'>): RecordedRun[] {
  return stateRows(project, 'SELECT run_id, pipeline, status FROM runs').map((row) => {
    const begun = firstRecord(project, String(row.run_id)) as RecordedRun['begun'] | undefined
    if (!begun) throw new Error(`run ${row.run_id} has no records`)
    return { runId: String(row.run_id), pipeline: String(row.pipeline), status: String(row.status), begun }
  })
}

function firstRecord(project: Pick<Project, 'folder'>, run: string): unknown {
  return recordsOf(project, run, 1)[0]
}

/** The first `most` records of a run, or all of them, in order. */
export function recordsOf(project: Pick<Project, 'folder'>, run: string, most = -1): unknown[] {
  const records = stateRows(project, 'SELECT data FROM records WHERE run_id = ? ORDER BY seq LIMIT ?', run, most)
  if (records.length > 0) return records.map(({ data }) => JSON.parse(String(data)))
  // The daemon packs runs that have ended.
  const [packed] = stateRows(project, 'SELECT data FROM packed_records WHERE run_id = ?', run)
  return packed ? unpackRecords(packed.data).map(({ data }) => data) : []
}
