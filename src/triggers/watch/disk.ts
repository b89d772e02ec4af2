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
