import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SteadyClock } from '../../core/clock.ts'
import { codeOf } from '../../core/code-of.ts'
import { TAKEN_FOLDER } from '../../core/shown-path.ts'
import { folderNumber } from '../../platform/real-path.ts'
import type { Disk } from './disk.ts'
import { openFolder, wayAbove, wayInto } from './open-folder.ts'
import { SharedOpenings } from './shared-openings.ts'

/** Only the owner may read, write and enter the folder. */
const OWN_MODE = 0o700

/** An open folder for taken files. */
export interface OwnFolder {
  readonly file: FileHandle
  /** The path to use for a path in this folder. */
  wayTo(path: string): string
  /** The path to use for a file of the watched folder. */
  beside(name: string): string
  /** The number of the watched folder, from `folderNumber`; undefined if it cannot be determined. */
  watched(): Promise<string | undefined>
}

/**
 * The folders for taken files. Everybody who may write to a watched folder can replace `.taken` with another folder or
 * a link. So it is opened and checked, and paths go through its descriptor: nobody else can change what is in it.
 */
export class OwnFolders {
  readonly #disk: Disk
  readonly #judged: (path: string) => Promise<string>
  readonly #openings: SharedOpenings<OwnFolder>

  /** `judged` returns the path of a watched folder without its links. It throws if the folder may not be used. */
  constructor(disk: Disk, clock: Pick<SteadyClock, 'steady'>, judged: (path: string) => Promise<string>) {
    this.#disk = disk
    this.#judged = judged
    this.#openings = new SharedOpenings(clock, async (taken) => ownFolder(disk, taken, await this.#real(taken)))
  }

  /** Works on the contents of a folder for taken files. Throws if the folder is not this user's own. */
  async within<T>(taken: string, work: (folder: OwnFolder) => Promise<T>): Promise<T> {
    return this.#openings.within(taken, work)
  }

  /** Makes a folder for taken files if there is none yet. */
  async make(taken: string): Promise<void> {
    if (this.#openings.isShared(taken)) return
    try {
      await this.#disk.mkdir(await this.#real(taken), { mode: OWN_MODE })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }

  async #real(taken: string): Promise<string> {
    return join(await this.#judged(dirname(taken)), basename(taken))
  }
}

async function ownFolder(disk: Disk, taken: string, real: string): Promise<OwnFolder> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  try {
    return await openFolder(disk, real, flags, async (file) => {
      const stats = await file.stat()
      const us = process.geteuid?.()
      if (us !== undefined && stats.uid !== us)
        throw new Error(
          `${taken} belongs to another user (${stats.uid}), who could put anything there: move its files away, and remove it`,
        )
      // Older versions made folders that others could enter. A mounted share may keep its own mode.
      if ((stats.mode & 0o077) !== 0) await file.chmod(OWN_MODE)
      return asOwn(disk, taken, file, real)
    })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ELOOP' || code === 'ENOTDIR')
      throw new Error(`${taken} is not a folder, but files are taken into a folder of that name: remove it`, {
        cause: error,
      })
    throw error
  }
}

function asOwn(disk: Disk, taken: string, file: FileHandle, real: string): OwnFolder {
  let watched: Promise<string | undefined> | undefined
  return {
    file,
    wayTo: (path) => wayInto(file, real) + path.slice(taken.length),
    // This does not use `join`, which would remove the `..` together with the folder before it.
    beside: (name) => `${wayAbove(file, real)}/${name}`,
    watched: () => {
      watched ??= numbered(disk, wayAbove(file, real))
      return watched
    },
  }
}

async function numbered(disk: Disk, folder: string): Promise<string | undefined> {
  const stats = await disk.stat(folder).catch(() => undefined)
  return stats && folderNumber(stats)
}

/** The folder for taken files that contains a path: `<watched folder>/.taken/<trigger>/<ticket>/<name>`. */
export function takenOf(path: string): string {
  let folder = path
  while (basename(folder) !== TAKEN_FOLDER && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}
