import type { Client } from 'pg'
import { type CheckDialect, findContradictions } from '../sql/contradictions.ts'
import type { Row } from '../sql/work.ts'
import type { StateCheck } from '../state-check.ts'
import { withConnection } from './connect.ts'
import { doWork } from './database.ts'
import { requireVersion } from './migrate-database.ts'
import { DATABASE_VERSION } from './migrations.ts'

const DIALECT: CheckDialect = {
  recorded: 'audience.records',
  ofRuns: ['records', 'messages', 'figures', 'run_guards'],
  // This condition finds texts that were cut off. It does not parse the JSON, because an older version of PostgreSQL
  // would throw an error for text that is not JSON.
  isJson: (column) => `(${column} LIKE '{%}' OR ${column} LIKE '[%]')`,
  isEnd: (column) => `starts_with(${column}, '{"type":"run.finished"')`,
  own: [
    {
      kind: 'run',
      query: `SELECT run_id, 'the document of the run is missing' AS what FROM audience.runs
        WHERE NOT EXISTS (SELECT 1 FROM audience.documents WHERE digest = document)`,
    },
  ],
}

/**
 * Reads a snapshot of a whole state, and reports what is wrong. Changes nothing. Throws `state-not-migrated`,
 * `state-too-new`, and the errors that `failureAt` makes.
 */
export function checkDatabase(url: string): Promise<StateCheck> {
  return withConnection(url, async (client, place) => {
    await requireVersion(client, place)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const query = async (text: string) => ({ rows: (await client.query<Row>(text)).rows, changes: 0 })
    const problems = await doWork(query, findContradictions(DIALECT))
    const [runs, records] = [await countOf(client, 'runs'), await countOf(client, 'records')]
    const warnings = (await mayEverybodyConnect(client)) ? [OPEN_TO_ALL] : undefined
    return { ok: problems.length === 0, version: DATABASE_VERSION, runs, records, problems, warnings }
  })
}

/**
 * The warning about a database that every role may connect to. Each role can then hold advisory locks, which all roles
 * of a database share.
 */
const OPEN_TO_ALL =
  'every role of the server may connect to this database, and can hold up all work with locks; run this as the owner of the database: REVOKE CONNECT ON DATABASE … FROM PUBLIC'

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
