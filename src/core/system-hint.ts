import { codeOf, sqliteCode } from './code-of.ts'

/** What to do about an operating system error for a file or a folder; undefined for any other error. */
export function systemHint(error: unknown): string | undefined {
  // Connection errors have the same codes.
  if (error instanceof Error && 'address' in error) return undefined
  return isFull(error) ? MAKE_ROOM : HINTS[codeOf(error) ?? '']
}

/** SQLite's result code for a full disk, SQLITE_FULL. */
const FULL = 13

/** Whether an error says that a disk is full. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === 'ENOSPC' || sqliteCode(error) === FULL
}

/** What to do about a full disk. */
export const MAKE_ROOM = 'make room on its disk'

const NOT_ALLOWED = 'run this as the user that audience start runs as, or make this user the owner of the folder'

const HINTS: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  ELOOP: 'its links lead in a circle: correct them',
  EROFS: 'its disk is read-only: mount it for writing',
  EDQUOT: `${MAKE_ROOM}, or raise the quota of this user`,
  EMFILE: 'raise the number of files that a process may open (ulimit -n)',
}
