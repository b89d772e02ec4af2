import type { Client } from 'pg'
import { type Contradiction, MOST_PROBLEMS, problemOfRow, type StateCheck, type StateProblem } from '../state-check.ts'
import { connect, databasePlace } from './connect.ts'
import { failureAt } from './database-failure.ts'
import { requireVersion } from './migrate-database.ts'
import { DATABASE_VERSION } from './migrations.ts'

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    kind: 'run',
    query: `SELECT run_id, 'the run has no records' AS what FROM audience.runs
      WHERE NOT EXISTS (SELECT 1 FROM audience.records WHERE records.run_id = runs.run_id)`,
  },
  {
    kind: 'run',
    query: `SELECT run_id, 'the document of the run is missing' AS what FROM audience.runs
      WHERE NOT EXISTS (SELECT 1 FROM audience.documents WHERE digest = document)`,
  },
  {
    kind: 'run',
    query: `SELECT run_id, 'the run is listed as ' || status || ', but ' ||
        CASE WHEN finished_at IS NULL THEN 'has no end' ELSE 'has an end' END AS what FROM audience.runs
      WHERE (finished_at IS NULL) <> (status IN ('queued', 'running', 'waiting'))`,
  },
  {
    kind: 'run',
    query: `SELECT run_id, 'the run is listed as ' || status || ', but its last record says something else' AS what
      FROM audience.runs CROSS JOIN LATERAL (
        SELECT data FROM audience.records WHERE records.run_id = runs.run_id ORDER BY seq DESC LIMIT 1) AS last
      WHERE starts_with(data, '{"type":"run.finished"') <> (finished_at IS NOT NULL)`,
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
  ...['records', 'messages', 'figures', 'run_guards'].map((table) => ({
    kind: 'record' as const,
    query: `SELECT DISTINCT run_id, 'there are rows in ${table}, but no run' AS what FROM audience.${table} AS rest
      WHERE NOT EXISTS (SELECT 1 FROM audience.runs WHERE runs.run_id = rest.run_id)`,
  })),
  {
    kind: 'record',
    query: `SELECT run_id, 'record ' || seq || ' cannot be read' AS what FROM audience.records
      WHERE NOT (starts_with(data, '{') AND right(data, 1) = '}')`,
  },
  {
    kind: 'memory',
    query: `SELECT 'what is remembered of ' || pipeline || '/' || step || ' cannot be read' AS what
      FROM audience.step_memory WHERE NOT (data LIKE '{%}' OR data LIKE '[%]')`,
  },
  {
    kind: 'memory',
    query: `SELECT 'what is known of ' || kind || ' ' || coalesce(id, 'of job ' || job) || ' cannot be read' AS what
      FROM audience.made WHERE NOT (starts_with(about, '{') AND right(about, 1) = '}')`,
  },
  {
    kind: 'occurrence',
    query: `SELECT run_id, 'the occurrence ' || key || ' of ' || pipeline || '/' || trigger_name || ' is due, but has a run' AS what
      FROM audience.occurrences WHERE state = 'due' AND run_id IS NOT NULL`,
  },
  {
    kind: 'occurrence',
    query: `SELECT run_id, 'the run has ' || count(*) || ' occurrences' AS what FROM audience.occurrences
      WHERE run_id IS NOT NULL AND state = 'ran' GROUP BY run_id HAVING count(*) > 1`,
  },
  {
    kind: 'notification',
    query: `SELECT 'the notification ' || id || ' cannot be read' AS what FROM audience.notifications
      WHERE NOT (starts_with(data, '{') AND right(data, 1) = '}')`,
  },
]

/**
 * Reads a whole state as it is at one moment, and reports what is wrong. Changes nothing. Throws `state-not-migrated`,
 * `state-too-new`, and the errors that `failureAt` makes.
 */
export async function checkDatabase(url: string): Promise<StateCheck> {
  const place = databasePlace(url)
  const client = await connect(url)
  try {
    await requireVersion(client, place)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const problems: StateProblem[] = []
    for (const { kind, query } of CONTRADICTIONS) {
      const { rows } = await client.query(`${query} LIMIT ${MOST_PROBLEMS}`)
      problems.push(...rows.map((row) => problemOfRow(kind, row)))
    }
    const [runs, records] = [await countOf(client, 'runs'), await countOf(client, 'records')]
    const warnings = (await mayEverybodyConnect(client)) ? [OPEN_TO_ALL] : undefined
    return { ok: problems.length === 0, version: DATABASE_VERSION, runs, records, problems, warnings }
  } catch (error) {
    throw failureAt(place, error)
  } finally {
    await client.end()
  }
}

/**
 * The warning about a database that every role may connect to. Each role can then hold advisory locks, which all roles
 * of a database share.
 */
const OPEN_TO_ALL =
  'every role of the server may connect to this database, and can hold up all work with locks; as its owner: REVOKE CONNECT ON DATABASE … FROM PUBLIC'

async function mayEverybodyConnect(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    "SELECT has_database_privilege('public', current_database(), 'CONNECT') AS may",
  )
  return rows[0]?.may === true
}

async function countOf(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(`SELECT count(*) AS count FROM audience.${table}`)
  return Number(rows[0]?.count)
}
