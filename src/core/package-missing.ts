import { AudienceError } from './errors.ts'

/** Who needs which optional packages. */
const NEEDS = {
  pg: { who: 'a state in PostgreSQL', packages: 'pg @dbos-inc/dbos-sdk' },
  '@dbos-inc/dbos-sdk': { who: 'a state in PostgreSQL', packages: 'pg @dbos-inc/dbos-sdk' },
  '@aws-sdk/client-s3': { who: 'a source in S3', packages: '@aws-sdk/client-s3' },
} as const

/** The error for an optional feature whose package is not installed. */
export function packageMissing(name: keyof typeof NEEDS, cause: unknown): AudienceError {
  const { who, packages } = NEEDS[name]
  return new AudienceError({
    code: 'package-missing',
    kind: 'failed',
    message: `${who} needs the package ${name}, which is not installed`,
    hint: `npm install ${packages}`,
    cause,
  })
}
