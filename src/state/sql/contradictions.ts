import { UNFINISHED_STATUSES } from '../../core/format/statuses.ts'
import { MOST_PROBLEMS, type StateProblem } from '../state-check.ts'
import { type Row, rowsOf, textList, type Work } from './work.ts'

/** A query that finds inconsistencies. Its rows have `what` and, if the problem concerns a run, `run_id`. */
interface Contradiction {
  readonly kind: StateProblem['kind']
  readonly query: string
}

/** The parts of the check that differ between stores. */
export interface CheckDialect {
  /** A table or a query with the column `run_id`: the ids of the runs that have records. */
  readonly recorded: string
  /** The tables that must not have rows of unknown runs. */
  readonly ofRuns: readonly string[]
  /** The condition that a text is JSON. */
  readonly isJson: (column: string) => string
  /**
   * The condition that a record says that the run has ended. NULL if there is no record. May be NULL if the record
   * cannot be read.
   */
  readonly isEnd: (column: string) => string
  /** The inconsistencies of tables that only this store has. */
  readonly own: readonly Contradiction[]
}

/** Finds what is wrong in the rows of a state. */
export function* findContradictions(dialect: CheckDialect): Work<StateProblem[]> {
  const problems: StateProblem[] = []
  for (const { kind, query } of contradictions(dialect)) {
    const found = yield* rowsOf(`${query} LIMIT ${MOST_PROBLEMS}`)
    problems.push(...found.map((row) => problemOf(kind, row)))
  }
  return problems
}

function contradictions({ recorded, ofRuns, isJson, isEnd, own }: CheckDialect): readonly Contradiction[] {
  return [
    {
      kind: 'run',
      query: `SELECT run_id, 'the run has no records' AS what FROM audience.runs
        WHERE NOT EXISTS (SELECT 1 FROM ${recorded} AS r WHERE r.run_id = runs.run_id)`,
    },
    {
      kind: 'run',
      query: `SELECT run_id, 'the run is listed as ' || status || ', but ' ||
          CASE WHEN finished_at IS NULL THEN 'has no end' ELSE 'has an end' END AS what FROM audience.runs
        WHERE (finished_at IS NULL) <> (status IN (${textList(UNFINISHED_STATUSES)}))`,
    },
    {
      kind: 'run',
      query: `SELECT run_id, 'the run is listed as ' || status || ', but its last record says something else' AS what
        FROM (SELECT run_id, status, finished_at, (
            SELECT data FROM audience.records WHERE records.run_id = runs.run_id ORDER BY seq DESC LIMIT 1) AS last
          FROM audience.runs) AS listed
        WHERE ${isEnd('last')} <> (finished_at IS NOT NULL)`,
    },
    {
      kind: 'run',
      query: `SELECT run_id, 'the run has ended or does not exist, but has a place in the group ' || name AS what
        FROM audience.run_groups
        WHERE NOT EXISTS (SELECT 1 FROM audience.runs WHERE runs.run_id = run_groups.run_id AND finished_at IS NULL)`,
    },
    {
      kind: 'record',
      query: `SELECT run_id, 'the run has ' || count(*) || ' records, but the last one has the number ' || max(seq) AS what
        FROM audience.records GROUP BY run_id HAVING min(seq) <> 0 OR max(seq) <> count(*) - 1`,
    },
    ...ofRuns.map((table) => ({
      kind: 'record' as const,
      query: `SELECT DISTINCT run_id, 'there are rows in ${table}, but no run' AS what FROM audience.${table} AS rest
        WHERE NOT EXISTS (SELECT 1 FROM audience.runs WHERE runs.run_id = rest.run_id)`,
    })),
    {
      kind: 'record',
      query: `SELECT run_id, 'record ' || seq || ' cannot be read' AS what FROM audience.records
        WHERE NOT ${isJson('data')}`,
    },
    {
      kind: 'memory',
      query: `SELECT 'the memory of step ' || pipeline || '/' || step || ' cannot be read' AS what
        FROM audience.step_memory WHERE NOT ${isJson('data')}`,
    },
    {
      kind: 'memory',
      query: `SELECT 'the entry for ' || kind || ' ' || coalesce(id, 'of job ' || job) || ' cannot be read' AS what
        FROM audience.made WHERE NOT ${isJson('about')}`,
    },
    {
      kind: 'occurrence',
      query: `SELECT 'the occurrence ' || key || ' of ' || pipeline || '/' || trigger_name || ' cannot be read' AS what
        FROM audience.occurrences WHERE detail IS NOT NULL AND NOT ${isJson('detail')}`,
    },
    {
      kind: 'occurrence',
      query: `SELECT run_id,
          'the occurrence ' || key || ' of ' || pipeline || '/' || trigger_name || ' is due, but has a run' AS what
        FROM audience.occurrences WHERE state = 'due' AND run_id IS NOT NULL`,
    },
    {
      kind: 'occurrence',
      // A file with the same content names the run of the earlier file, but is skipped.
      query: `SELECT run_id, 'the run has ' || count(*) || ' occurrences' AS what FROM audience.occurrences
        WHERE run_id IS NOT NULL AND state = 'ran' GROUP BY run_id HAVING count(*) > 1`,
    },
    {
      kind: 'notification',
      query: `SELECT 'the notification ' || id || ' cannot be read' AS what FROM audience.notifications
        WHERE NOT ${isJson('data')}`,
    },
    ...own,
  ]
}

function problemOf(kind: StateProblem['kind'], { what, run_id: runId }: Row): StateProblem {
  return { kind, message: String(what), runId: typeof runId === 'string' ? runId : undefined }
}
