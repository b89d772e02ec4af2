import type { PathLike } from 'node:fs'
import * as promises from 'node:fs/promises'
import { codeOf } from '../../core/code-of.ts'
import { openRegular } from '../../platform/open-regular.ts'

/** The file system calls of the watched folders; the tests interrupt each of them. */
export type Disk = Pick<
  typeof promises,
  | 'link'
  | 'lstat'
  | 'mkdir'
  | 'mkdtemp'
  | 'open'
  | 'readdir'
  | 'readlink'
  | 'realpath'
  | 'rename'
  | 'rmdir'
  | 'stat'
  | 'unlink'
  | 'utimes'
  | 'writeFile'
> & {
  /**
   * Copies a regular file to a new one, up to the length that it has when it is opened, because a writer may never
   * stop. Unlike Node's own function, it follows no link and opens no pipe, on either side.
   */
  copyFile(from: PathLike, to: PathLike): Promise<void>
  /** Removes a file. Unlike Node's own function, it does not examine the file first. */
  rm(path: PathLike, options?: { force?: boolean }): Promise<void>
}

export const localDisk: Disk = { ...promises, copyFile: copyRegular, rm: removeFile }

const CHUNK_BYTES = 2 ** 20

async function removeFile(path: PathLike, { force = false }: { force?: boolean } = {}): Promise<void> {
  try {
    await promises.unlink(path)
  } catch (error) {
    if (!force || codeOf(error) !== 'ENOENT') throw error
  }
}

async function copyRegular(from: PathLike, to: PathLike): Promise<void> {
  const source = await openRegular(String(from))
  try {
    const { mode, size } = await source.stat()
    const target = await promises.open(to, 'wx', mode & 0o777)
    try {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size))
      let left = size
      while (left > 0) {
        const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, left), null)
        if (bytesRead === 0) break
        await target.writeFile(buffer.subarray(0, bytesRead))
        left -= bytesRead
      }
      if ((await source.stat()).size !== size) throw new Error('it is still being written to')
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
