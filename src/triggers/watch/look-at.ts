import type { Dirent, Stats } from 'node:fs'
import { codeOf } from '../../core/code-of.ts'
import type { Disk } from './disk.ts'

/** Examines the entry at a path. Undefined if there is none. */
export async function lookAt(disk: Pick<Disk, 'lstat'>, path: string) {
  try {
    return await disk.lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The kind of a file system entry, in words. */
export function fileKind(found: Dirent | Stats): string {
  if (found.isFile()) return 'a file'
  if (found.isDirectory()) return 'a folder'
  if (found.isSymbolicLink()) return 'a link'
  if (found.isFIFO()) return 'a named pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}

/** Throws if something else is where a folder must be. `real` is its path without links. */
export async function requireFolderAt(disk: Pick<Disk, 'lstat'>, path: string, real: string): Promise<void> {
  const found = await lookAt(disk, real)
  if (found && !found.isDirectory())
    throw new Error(
      `${path} is ${fileKind(found)}, but a folder of that name is needed: remove it, or name another folder`,
    )
}

/** Removes a marker or a note. Anything else in its place stays. */
export async function removeIfFile(disk: Pick<Disk, 'rm' | 'lstat'>, path: string): Promise<void> {
  const isFile = async () => (await lookAt(disk, path))?.isFile() === true
  if (!(await isFile())) return
  try {
    await disk.rm(path, { force: true })
  } catch (error) {
    // Something else has replaced the file in the meantime.
    if (await isFile()) throw error
  }
}
