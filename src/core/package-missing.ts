import { AudienceError } from './errors.ts'

/** A state in PostgreSQL is to be used, and one of the packages that it needs is not installed. */
export function packageMissing(name: string, cause: unknown): AudienceError {
  return new AudienceError({
    code: 'package-missing',
    kind: 'failed',
    message: `a state in PostgreSQL needs the package ${name}, which is not installed`,
    hint: 'npm install pg @dbos-inc/dbos-sdk',
    cause,
  })
}
