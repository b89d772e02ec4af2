import { type Project, stateRows } from '../daemon.ts'
import { recordedRuns, recordsOf } from '../recorded-runs.ts'
import { sqlRows } from '../sql.ts'

/** What a soak reads from a state, without the program that writes it. */
export interface SoakState {
  runs(): Promise<readonly SoakRun[]>
  /** All records of a run, in order. */
  records(runId: string): Promise<readonly unknown[]>
  /** The step at which a run waits for a person. */
  waitsAt(runId: string): Promise<string>
  /** The slots of a schedule, oldest first. */
  slots(pipeline: string): Promise<readonly SoakSlot[]>
  /** The number of slots and files that have not been handled. */
  openOccurrences(): Promise<number>
}

interface SoakRun {
  readonly runId: string
  readonly pipeline: string
  readonly status: string
  /** The name of everything that it makes: its input `name`, or the name of its pipeline. */
  readonly name: string
}

interface SoakSlot {
  readonly at: number
  readonly state: string
  readonly runId: string
}

const ENDED = new Set(['succeeded', 'failed', 'cancelled'])

export function isOpen({ status }: SoakRun): boolean {
  return !ENDED.has(status)
}

/** The state of a folder. */
export function soakStateOf(project: Project): SoakState {
  return {
    async runs() {
      return recordedRuns(project).map(({ begun, ...run }) => ({
        ...run,
        name: String(begun.inputs.name ?? run.pipeline),
      }))
    },
    records: async (runId) => recordsOf(project, runId),
    async waitsAt(runId) {
      const [row] = stateRows(
        project,
        `SELECT data ->> 'step' AS step FROM records WHERE run_id = ? AND data ->> 'type' = 'step.waiting' ORDER BY seq DESC LIMIT 1`,
        runId,
      )
      return String(row?.step)
    },
    async slots(pipeline) {
      const rows = stateRows(
        project,
        'SELECT at, state, run_id FROM occurrences WHERE pipeline = ? ORDER BY at',
        pipeline,
      )
      return rows.map((row) => ({ at: Number(row.at), state: String(row.state), runId: String(row.run_id) }))
    },
    async openOccurrences() {
      return stateRows(project, `SELECT 1 FROM occurrences WHERE state = 'due' OR open = 1`).length
    },
  }
}

/** The state in a database. */
export function soakStateAt(url: string): SoakState {
  return {
    async runs() {
      const rows = await sqlRows(
        url,
        `SELECT run_id, runs.pipeline, status, coalesce(data::json -> 'inputs' ->> 'name', runs.pipeline) AS name
         FROM audience.runs JOIN audience.records USING (run_id) WHERE seq = 0`,
      )
      return rows.map(({ run_id: runId, pipeline, status, name }) => ({
        ...{ runId: String(runId), pipeline: String(pipeline) },
        ...{ status: String(status), name: String(name) },
      }))
    },
    async records(runId) {
      const rows = await sqlRows(url, 'SELECT data FROM audience.records WHERE run_id = $1 ORDER BY seq', runId)
      return rows.map(({ data }) => JSON.parse(String(data)))
    },
    async waitsAt(runId) {
      const [row] = await sqlRows(
        url,
        `SELECT data::json ->> 'step' AS step FROM audience.records
         WHERE run_id = $1 AND data::json ->> 'type' = 'step.waiting' ORDER BY seq DESC LIMIT 1`,
        runId,
      )
      return String(row?.step)
    },
    async slots(pipeline) {
      const rows = await sqlRows(
        url,
        'SELECT at, state, run_id FROM audience.occurrences WHERE pipeline = $1 ORDER BY at',
        pipeline,
      )
      return rows.map((row) => ({ at: Number(row.at), state: String(row.state), runId: String(row.run_id) }))
    },
    async openOccurrences() {
      const rows = await sqlRows(url, `SELECT 1 FROM audience.occurrences WHERE state = 'due' OR open`)
      return rows.length
    },
  }
}
