import { packageMissing } from '../../core/package-missing.ts'

/** The client of PostgreSQL. It is optional, and loaded only where a state is a database. */
export async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg')
  } catch (error) {
    throw packageMissing('pg', error)
  }
}
