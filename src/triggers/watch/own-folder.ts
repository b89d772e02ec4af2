import { constants, existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../core/code-of.ts'
import { TAKEN_FOLDER } from '../../core/shown-path.ts'
import type { Disk } from './disk.ts'

/** Where an open folder can be named by its descriptor. */
const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = existsSync(DESCRIPTORS)

/** Readable, writable and enterable by its owner alone. */
const OWN_MODE = 0o700

/**
 * Works on what lies in the folder for taken files; `work` gets the way to a path in it. Whoever may write the watched
 * folder can put another folder, or a link, into the place of `.taken`. So the folder is opened and judged once, and the
 * way goes through its descriptor: nobody else can change what lies there. Throws if it is not this user's own.
 */
export async function withinTaken<T>(
  disk: Disk,
  taken: string,
  work: (wayTo: (path: string) => string) => Promise<T>,
): Promise<T> {
  const folder = await opened(disk, taken)
  try {
    const stats = await folder.stat()
    const us = process.geteuid?.()
    if (us !== undefined && stats.uid !== us)
      throw new Error(
        `${taken} belongs to another user (${stats.uid}), who could put anything there: move its files away, and remove it`,
      )
    // Others could enter what an older version had made. A mounted share may keep a mode of its own.
    if ((stats.mode & 0o077) !== 0) await folder.chmod(OWN_MODE)
    const base = hasDescriptors ? join(DESCRIPTORS, String(folder.fd)) : taken
    return await work((path) => base + path.slice(taken.length))
  } finally {
    await folder.close()
  }
}

async function opened(disk: Disk, taken: string) {
  try {
    return await disk.open(taken, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ELOOP' || code === 'ENOTDIR')
      throw new Error(`${taken} is no folder, and files are taken into a folder of that name: remove it`, {
        cause: error,
      })
    throw error
  }
}

/** Makes the folder for taken files of a watched folder, if it is not there. */
export async function makeTaken(disk: Disk, taken: string): Promise<void> {
  try {
    await disk.mkdir(taken, { mode: OWN_MODE })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** The folder for taken files in which a path lies: `<watched folder>/.taken/<trigger>/<ticket>/<name>`. */
export function takenOf(path: string): string {
  let folder = path
  while (basename(folder) !== TAKEN_FOLDER && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}
