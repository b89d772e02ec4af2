import { AudienceError, type ErrorKind } from './errors.ts'
import { count } from './format/figures.ts'
import { MAX_REMOTE_ENTRIES, MAX_REMOTE_FILES } from './remote-source.ts'

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
  { message, hint }: { message: string; hint?: string },
): AudienceError {
  return new AudienceError({ code, kind: KINDS[code], message, hint })
}

/** The code of an error from a remote source; undefined for any other error. */
export function remoteCodeOf(error: unknown): RemoteErrorCode | undefined {
  return error instanceof AudienceError && Object.hasOwn(KINDS, error.code)
    ? (error.code as RemoteErrorCode)
    : undefined
}

/**
 * The error for a folder with more entries, or more matching files, than a listing may have. `files`: how many of the
 * entries match.
 */
export function tooManyEntries(folder: string, files: number): AudienceError {
  const what =
    files > MAX_REMOTE_FILES ? count(MAX_REMOTE_FILES, 'matching file') : count(MAX_REMOTE_ENTRIES, 'entry', 'entries')
  return remoteError('source-too-many', {
    message: `${folder || '.'} has more than ${what}, so no file is taken`,
    hint: 'move old files away, or make the path narrower',
  })
}

/** The error for a file that has no free name in the folder to which it is moved. */
export function namesTaken(path: string, folder: string, names: readonly string[]): AudienceError {
  const message = `${path} cannot be moved to ${folder}, where these names are taken: ${names.join(' and ')}`
  return remoteError('source-read-only', { message, hint: 'remove or rename the files there' })
}
