import { constants, existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../core/code-of.ts'
import { pathOfOpen } from '../../platform/path-of-open.ts'
import { folderNumber } from '../../platform/real-path.ts'
import type { Disk } from './disk.ts'
import { requireFolderAt } from './look-at.ts'

/** Here, the path of an open folder ends with its descriptor. */
const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = existsSync(DESCRIPTORS)

/** Opens a folder and works on it; throws if something else took its place after its path was checked. */
export async function openFolder<T>(
  disk: Pick<Disk, 'open'>,
  /** Contains no links. */
  path: string,
  flags: number,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await disk.open(path, flags)
  try {
    if (hasDescriptors && pathOfOpen(file.fd, path) !== path) throw new Error(`${path} was moved while it was opened`)
    return await work(file)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The path of an open folder. It stays valid whatever happens to the folder's name. */
export function wayInto(file: FileHandle, path: string): string {
  return hasDescriptors ? join(DESCRIPTORS, String(file.fd)) : path
}

/** The path of the folder above an open one. */
export function wayAbove(file: FileHandle, path: string): string {
  return `${wayInto(file, path)}/..`
}

/** An open folder for files whose runs have ended: `done` or `failed`. */
export interface TargetFolder {
  readonly file: FileHandle
  /** The path to work with. */
  readonly way: string
  /** Its path without links. */
  readonly real: string
  /** The number that `folderNumber` returns. */
  readonly number: string
}

/**
 * The flag O_PATH, which Node does not define. It opens a folder only for use in paths, even a folder that may be
 * written but not read.
 */
const O_PATH = process.platform === 'linux' ? 0o10000000 : 0
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH

/** Opens a folder with the path `real`, which has no links. Makes the folder if it is missing. */
export async function targetFolder(disk: Disk, path: string, real: string): Promise<TargetFolder> {
  await requireFolderAt(disk, path, real)
  const opened = () =>
    openFolder(disk, real, FLAGS, async (file) => {
      return { file, real, way: wayInto(file, real), number: folderNumber(await file.stat()) }
    })
  try {
    return await opened()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await disk.mkdir(real, { recursive: true })
  return opened()
}
