import { AudienceError, type ErrorKind } from './errors.ts'

/** The error codes of a remote source, and the kind of each. */
const KINDS = {
  'source-access-refused': 'unavailable',
  'source-file-changed': 'failed',
  'source-folder-missing': 'failed',
  'source-host-key': 'unavailable',
  'source-read-only': 'failed',
  'source-set-incomplete': 'failed',
  'source-too-many': 'failed',
  'source-unreachable': 'unavailable',
} as const satisfies Record<string, ErrorKind>

export type RemoteErrorCode = keyof typeof KINDS

/** An error from a remote source. */
export function remoteError(
  code: RemoteErrorCode,
  { message, hint, cause }: { readonly message: string; readonly hint?: string; readonly cause?: unknown },
): AudienceError {
  return new AudienceError({ code, kind: KINDS[code], message, hint, cause })
}

/** The code of an error from a remote source; undefined for any other error. */
export function remoteCodeOf(error: unknown): RemoteErrorCode | undefined {
  return error instanceof AudienceError && Object.hasOwn(KINDS, error.code)
    ? (error.code as RemoteErrorCode)
    : undefined
}
