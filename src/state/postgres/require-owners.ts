import type { Client } from 'pg'
import { AudienceError } from '../../core/errors.ts'

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
  throw new AudienceError({
    code: 'state-refused',
    kind: 'invalid',
    message: `the schema ${schema} in the database ${place} belongs to the role ${owner}, and not to ${role}`,
    hint: `use your own database; or, if ${owner} is yours, let an administrator GRANT ${owner} TO ${role}`,
  })
}
