import type { Client } from 'pg'
import { type AudienceError, failedError, invalidError } from '../../core/errors.ts'
import { withConnection } from './connect.ts'
import { DATABASE_VERSION, POSTGRES_MIGRATIONS } from './migrations.ts'

/** Identifies the lock that lets only one migration run at a time. */
const MIGRATING = 1_096_107_082

/**
 * Creates the tables of a state, or upgrades them to the version of this code, in one transaction. Returns the versions
 * before (0: there were no tables) and after. Throws `state-too-new`, and the errors that `failureAt` makes.
 */
export function migrateDatabase(url: string): Promise<{ readonly from: number; readonly to: number }> {
  return withConnection(url, migrate)
}

async function migrate(client: Client, place: string): Promise<{ from: number; to: number }> {
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATING])
  await requireOwners(client, place)
  // A role that owns the schema may lack the right to create one, so check first.
  const schema = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = 'audience'")
  if (schema.rowCount === 0) await client.query('CREATE SCHEMA audience')
  const from = await versionOf(client)
  if (from > DATABASE_VERSION) throw tooNew(place, from)
  for (const statement of POSTGRES_MIGRATIONS.slice(from).flat()) await client.query(statement)
  await client.query('UPDATE audience.version SET version = $1', [DATABASE_VERSION])
  await client.query('COMMIT')
  return { from, to: DATABASE_VERSION }
}

/** The version of the tables; 0 if there are none. */
async function versionOf(client: Pick<Client, 'query'>): Promise<number> {
  const table = await client.query<{ table: string | null }>("SELECT to_regclass('audience.version')::text AS table")
  if (table.rows[0]?.table === null) return 0
  const { rows } = await client.query<{ version: number }>('SELECT version FROM audience.version')
  return rows[0]?.version ?? 0
}

/** Throws `state-not-migrated` or `state-too-new` if the tables do not have the version of this code. */
export async function requireVersion(client: Pick<Client, 'query'>, place: string): Promise<void> {
  const version = await versionOf(client)
  if (version > DATABASE_VERSION) throw tooNew(place, version)
  if (version === DATABASE_VERSION) return
  throw invalidError(
    'state-not-migrated',
    version === 0
      ? `the database ${place} has no tables of Audience Pipelines yet`
      : `the tables in ${place} are from an older version (${version}; this one needs ${DATABASE_VERSION})`,
    'create or upgrade them once, with a role that may do so: audience state migrate',
  )
}

function tooNew(place: string, version: number): AudienceError {
  return failedError(
    'state-too-new',
    `the tables in ${place} are from a newer version (${version}; this one knows ${DATABASE_VERSION})`,
    'nothing was changed; use the newer version',
  )
}

/**
 * Finds schemas of a state whose owner is neither a role of this connection nor an administrator of the server or the
 * database.
 */
const FOREIGN = `SELECT nspname AS schema, pg_get_userbyid(nspowner) AS owner, current_user AS role FROM pg_namespace
  WHERE nspname IN ('audience', 'dbos') AND NOT (
    pg_has_role(current_user, nspowner, 'MEMBER')
    OR EXISTS (SELECT 1 FROM pg_roles WHERE pg_roles.oid = nspowner AND rolsuper)
    OR EXISTS (SELECT 1 FROM pg_database WHERE datname = current_database() AND datdba = nspowner))`

/**
 * Throws `state-refused` if another role made the schemas of a state. That role could have added its own runs there, or
 * functions that run with the rights of the writer.
 */
export async function requireOwners(client: Pick<Client, 'query'>, place: string): Promise<void> {
  const { rows } = await client.query<{ schema: string; owner: string; role: string }>(FOREIGN)
  const [foreign] = rows
  if (foreign === undefined) return
  const { schema, owner, role } = foreign
  throw invalidError(
    'state-refused',
    `the schema ${schema} in the database ${place} belongs to the role ${owner}, and not to ${role}`,
    `use your own database; or, if ${owner} is yours, let an administrator GRANT ${owner} TO ${role}`,
  )
}
