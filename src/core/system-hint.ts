import { codeOf } from './code-of.ts'

/** What to do about an error of the operating system about a file or a folder; undefined for any other error. */
export function systemHint(error: unknown): string | undefined {
  // Errors of connections have the same codes.
  return error instanceof Error && 'address' in error ? undefined : HINTS[codeOf(error) ?? '']
}

const NOT_ALLOWED = 'run this as the user that audience start runs as, or give this one the folder'

const HINTS: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'its disk can only be read: mount it for writing',
  ENOSPC: 'make room on its disk',
  EDQUOT: 'make room on its disk, or raise the quota of this user',
  EMFILE: 'raise the number of files that a process may open (ulimit -n)',
}
