import { packageMissing } from '../../core/package-missing.ts'

/** Loads the PostgreSQL client. It is optional, and needed only if the state is a database. */
export async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg')
  } catch (error) {
    throw packageMissing('pg', error)
  }
}
