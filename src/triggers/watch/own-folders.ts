import { constants, existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SteadyClock } from '../../core/clock.ts'
import { codeOf } from '../../core/code-of.ts'
import { TAKEN_FOLDER } from '../../core/shown-path.ts'
import { numberOf } from '../../platform/folder-identity.ts'
import type { Disk } from './disk.ts'

/** Where an open folder can be named by its descriptor. */
const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = existsSync(DESCRIPTORS)

/** Readable, writable and enterable by its owner alone. */
const OWN_MODE = 0o700

/** Work that begins this long after a folder was opened opens it again: something else may lie in its place by now. */
const SHARED_MS = 1000

/** An open folder for taken files. */
export interface OwnFolder {
  /** The way to a path in it. */
  wayTo(path: string): string
  /** The number of the watched folder, by `numberOf`; undefined if it cannot be told. */
  watched(): Promise<string | undefined>
}

interface Opening {
  readonly folder: Promise<OwnFolder & { readonly file: FileHandle }>
  openedAt: number | undefined
  users: number
}

/**
 * The folders for taken files. Whoever may write a watched folder can put another folder, or a link, into the place of
 * `.taken`. So it is opened and judged, and the way goes through its descriptor: nobody else can change what lies there.
 * Work that goes on at the same time shares a descriptor, because opening it costs as much as taking a file.
 */
export class OwnFolders {
  readonly #disk: Disk
  readonly #clock: Pick<SteadyClock, 'steady'>
  readonly #openings = new Map<string, Opening>()

  constructor(disk: Disk, clock: Pick<SteadyClock, 'steady'>) {
    this.#disk = disk
    this.#clock = clock
  }

  /** Works on what lies in a folder for taken files. Throws if it is not this user's own. */
  async within<T>(taken: string, work: (folder: OwnFolder) => Promise<T>): Promise<T> {
    const opening = this.#shared(taken) ?? this.#open(taken)
    opening.users += 1
    try {
      return await work(await opening.folder)
    } finally {
      opening.users -= 1
      if (opening.users === 0) await this.#close(taken, opening)
    }
  }

  /** Makes a folder for taken files, if it is not there. */
  async make(taken: string): Promise<void> {
    if (this.#shared(taken)) return
    try {
      await this.#disk.mkdir(taken, { mode: OWN_MODE })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }

  #shared(taken: string): Opening | undefined {
    const opening = this.#openings.get(taken)
    if (opening?.openedAt === undefined) return opening
    return this.#clock.steady() - opening.openedAt < SHARED_MS ? opening : undefined
  }

  #open(taken: string): Opening {
    const opening: Opening = {
      folder: ownFolder(this.#disk, taken).then((folder) => {
        opening.openedAt = this.#clock.steady()
        return folder
      }),
      openedAt: undefined,
      users: 0,
    }
    this.#openings.set(taken, opening)
    return opening
  }

  async #close(taken: string, opening: Opening): Promise<void> {
    if (this.#openings.get(taken) === opening) this.#openings.delete(taken)
    const folder = await opening.folder.catch(() => undefined)
    await folder?.file.close()
  }
}

async function ownFolder(disk: Disk, taken: string) {
  const file = await opened(disk, taken)
  try {
    const stats = await file.stat()
    const us = process.geteuid?.()
    if (us !== undefined && stats.uid !== us)
      throw new Error(
        `${taken} belongs to another user (${stats.uid}), who could put anything there: move its files away, and remove it`,
      )
    // Others could enter what an older version had made. A mounted share may keep a mode of its own.
    if ((stats.mode & 0o077) !== 0) await file.chmod(OWN_MODE)
  } catch (error) {
    await file.close()
    throw error
  }
  const base = hasDescriptors ? join(DESCRIPTORS, String(file.fd)) : taken
  let watched: Promise<string | undefined> | undefined
  return {
    file,
    wayTo: (path: string) => base + path.slice(taken.length),
    watched: () => {
      watched ??= numbered(disk, hasDescriptors ? `${base}/..` : dirname(taken))
      return watched
    },
  }
}

async function numbered(disk: Disk, folder: string): Promise<string | undefined> {
  const stats = await disk.stat(folder).catch(() => undefined)
  return stats && numberOf(stats)
}

async function opened(disk: Disk, taken: string): Promise<FileHandle> {
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

/** The folder for taken files in which a path lies: `<watched folder>/.taken/<trigger>/<ticket>/<name>`. */
export function takenOf(path: string): string {
  let folder = path
  while (basename(folder) !== TAKEN_FOLDER && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}
