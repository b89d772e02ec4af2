import { AudienceError, type ErrorDetails } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'

/** Converts an error of the database client to one for people. `place` is that of `placeOf`. */
export function failureAt(place: string, error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  return new AudienceError({ kind: 'unavailable', cause: error, ...detailsOf(place, error) })
}

function detailsOf(place: string, error: unknown): Omit<ErrorDetails, 'kind'> & Partial<Pick<ErrorDetails, 'kind'>> {
  const code = codeOf(error)
  // Classes of SQLSTATE: 28 is authorization, 42501 a missing right, 3D000 an unknown database.
  if (code.startsWith('28'))
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
  if (/^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57P)/.test(code))
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** A host with several addresses fails with one error for each, and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return messageOf(error)
}
