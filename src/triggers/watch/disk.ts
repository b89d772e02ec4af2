import * as promises from 'node:fs/promises'

/** The file system calls of the watched folders; the tests interrupt each of them. */
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

/** The code of an operating system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
