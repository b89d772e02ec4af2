import type { Dirent, PathLike } from 'node:fs'
import { codeOf } from '../core/code-of.ts'
import { type Disk, localDisk } from '../triggers/watch/disk.ts'

/**
 * The disk of the watched folders of a world. Who changes a file says so, and folders have no time of their own: that of
 * the file system moves in ticks of some milliseconds, in which a world may live for days. New folders have counted names
 * instead of names by chance, and what is in a folder comes in the order of the names.
 */
export function worldDisk(): Disk {
  let folders = 0
  const mkdtemp = async (prefix: string): Promise<string> => {
    const folder = prefix + (++folders).toString(36).padStart(6, '0')
    try {
      await localDisk.mkdir(folder, { mode: 0o700 })
      return folder
    } catch (error) {
      // An earlier process of this world has made it.
      if (codeOf(error) === 'EEXIST') return mkdtemp(prefix)
      throw error
    }
  }
  const readdir = async (path: PathLike, options?: { readonly withFileTypes: true }) => {
    const found: (string | Dirent)[] = options ? await localDisk.readdir(path, options) : await localDisk.readdir(path)
    return found.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  }
  const stat = async (path: PathLike) => {
    const stats = await localDisk.stat(path)
    return stats.isDirectory() ? Object.assign(stats, { mtimeMs: 0 }) : stats
  }
  // Each of them has more forms than are used here.
  return { ...localDisk, ...({ mkdtemp, readdir, stat } as Pick<Disk, 'mkdtemp' | 'readdir' | 'stat'>) }
}

function nameOf(entry: string | Dirent): string {
  return typeof entry === 'string' ? entry : entry.name
}
