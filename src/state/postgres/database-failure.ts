import { AudienceError, type ErrorDetails } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'

/** Converts an error of the database client to one for people. `place` is that of `placeOf`. */
export function failureAt(place: string, error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  return new AudienceError({ kind: 'unavailable', cause: error, ...detailsOf(place, error) })
}

function detailsOf(place: string, error: unknown): Omit<ErrorDetails, 'kind'> & Partial<Pick<ErrorDetails, 'kind'>> {
  const code = sqlStateOf(error)
  // Classes of SQLSTATE: 28 is authorization, 42501 a missing right, 3D000 an unknown database. SASL is the exchange of
  // the password; the client fails in it if it has none.
  if (code.startsWith('28') || messageOf(error).startsWith('SASL'))
    return {
      code: 'state-refused',
      message: `the database ${place} refuses the connection: ${messageOf(error)}`,
      hint: 'check the user, and the password in PGPASSWORD or PGPASSFILE',
    }
  if (code === '42501')
    return {
      code: 'state-refused',
      message: `the role of this process may not do that in the database ${place}: ${messageOf(error)}`,
      hint: 'docs/production.md shows which rights the role needs',
    }
  if (code === '3D000')
    return {
      code: 'state-unreachable',
      message: `there is no database ${place}`,
      hint: 'create it first (createdb), or correct the name in `state`',
    }
  // 08 is the connection, 53 a lack of resources, 57P a database that ends or begins.
  if (code !== '' && !/^(08|53|57P)/.test(code))
    return {
      code: 'state-failed',
      kind: 'failed',
      message: `the database ${place} reports: ${messageOf(error)}`,
      hint: 'nothing that was recorded is lost; the log of the database says more',
    }
  return {
    code: 'state-unreachable',
    message: `the database ${place} cannot be reached: ${reasonOf(error)}`,
    hint: 'check that PostgreSQL is running there and that this machine can reach it',
  }
}

/** Only errors of the database have a severity; errors of sockets have other codes. */
function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : ''
}

/** A host with several addresses fails with one error for each, and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return messageOf(error)
}
