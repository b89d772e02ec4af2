import * as promises from 'node:fs/promises'

/** What the watched folders do to the file system; the tests stop it at every call. */
export type Disk = Pick<
  typeof promises,
  | 'copyFile'
  | 'link'
  | 'lstat'
  | 'mkdir'
  | 'mkdtemp'
  | 'open'
  | 'readdir'
  | 'rename'
  | 'rm'
  | 'rmdir'
  | 'stat'
  | 'unlink'
  | 'utimes'
  | 'writeFile'
>

export const localDisk: Disk = promises

/** The code of an error of the operating system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
