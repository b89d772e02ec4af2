import { AudienceError } from '../../core/errors.ts'

/** The client of PostgreSQL. It is optional, and loaded only where a state is a database. */
export async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg')
  } catch (error) {
    throw new AudienceError({
      code: 'package-missing',
      kind: 'failed',
      message: 'a state in PostgreSQL needs the package pg, which is not installed',
      hint: 'npm install pg @dbos-inc/dbos-sdk',
      cause: error,
    })
  }
}
