import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../core/code-of.ts'
import type { TriggerRef } from '../../core/occurrence.ts'
import { TAKEN_FOLDER } from '../../core/shown-path.ts'
import type { Disk } from './disk.ts'
import { type FoundFile, type Look, MARKER } from './find-files.ts'
import { lookAt, removeIfFile } from './look-at.ts'
import { type OwnFolders, takenOf } from './own-folders.ts'

/**
 * A file that was moved out of its watched folder to a place where no other process writes, so that a run reads the
 * content that was checked. Its path is `<watched folder>/.taken/<pipeline>.<trigger>/<ticket>/<name>`, on the same
 * file system, so taking a file is one rename. When its run has a key, the folder is renamed to `<ticket>~<key>`, so
 * that a restart knows the key without reading the file.
 */
export interface TakenFile {
  readonly path: string
  readonly name: string
  /** Distinguishes it from every other file ever taken; begins with the time when the file was taken. */
  readonly ticket: string
  /** The key of its occurrence, if there is one yet. */
  readonly key: string
  /** How it looked when it was taken; unknown after a restart. */
  readonly seen?: Look
}

interface Places {
  readonly disk: Disk
  readonly ownFolders: OwnFolders
}

const TICKET = /^\d+-/

export function takenFolder(watched: string, { pipeline, trigger }: TriggerRef): string {
  return join(watched, TAKEN_FOLDER, `${pipeline}.${trigger}`)
}

/** When a file was taken, in milliseconds since 1970. */
export function takenAt({ ticket }: Pick<TakenFile, 'ticket'>): number {
  return Number.parseInt(ticket, 10)
}

/** Takes a file; undefined if it is no longer there. `now` is in milliseconds since 1970. */
export async function takeFile(
  { disk, ownFolders }: Places,
  seen: FoundFile,
  { into, now }: { into: string; now: number },
): Promise<TakenFile | undefined> {
  await ownFolders.make(dirname(into))
  return ownFolders.within(dirname(into), async ({ wayTo, beside }) => {
    const folder = await newFolder(disk, join(wayTo(into), `${now}-`))
    try {
      // Remove the marker before the file moves, because a marker left behind would count for the next file of this
      // name.
      await removeIfFile(disk, beside(seen.name + MARKER))
      await disk.rename(beside(seen.name), join(folder, seen.name))
      return { ...described(join(into, basename(folder), seen.name)), seen }
    } catch (error) {
      await disk.rmdir(folder)
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  })
}

/** Records the key of a file's occurrence in the name of the file's folder. */
export async function keepKey({ disk, ownFolders }: Places, file: TakenFile, key: string): Promise<TakenFile> {
  if (key === file.key) return file
  const folder = join(dirname(dirname(file.path)), `${file.ticket}~${key}`)
  await ownFolders.within(takenOf(file.path), ({ wayTo }) => disk.rename(wayTo(dirname(file.path)), wayTo(folder)))
  return { ...file, path: join(folder, file.name), key }
}

/** The files that an earlier process took. */
export async function listTaken({ disk, ownFolders }: Places, into: string): Promise<TakenFile[]> {
  try {
    return await ownFolders.within(dirname(into), async ({ wayTo }) => {
      const files: TakenFile[] = []
      for (const ticket of await foldersIn(disk, wayTo(into))) {
        if (!TICKET.test(ticket)) continue
        const [name] = (await disk.readdir(wayTo(join(into, ticket)))).sort()
        // The earlier process died before the file arrived, or after it left.
        if (name === undefined) await disk.rmdir(wayTo(join(into, ticket)))
        else files.push(described(join(into, ticket, name)))
      }
      return files
    })
  } catch (error) {
    // Nothing was ever taken here.
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function described(path: string): TakenFile {
  const [ticket = '', key = ticket] = basename(dirname(path)).split('~')
  return { path, name: basename(path), ticket, key }
}

async function newFolder(disk: Disk, prefix: string): Promise<string> {
  try {
    return await disk.mkdtemp(prefix)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await disk.mkdir(dirname(prefix), { recursive: true, mode: 0o700 })
    return disk.mkdtemp(prefix)
  }
}

/** Links to folders are left out, because somebody else put them there. */
async function foldersIn(disk: Disk, folder: string): Promise<string[]> {
  if (!(await lookAt(disk, folder))?.isDirectory()) return []
  const entries = await disk.readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}
