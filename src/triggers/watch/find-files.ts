import { join } from 'node:path'
import type { Disk } from './disk.ts'
import type { FilePattern } from './file-pattern.ts'
import { type IgnoredFile, whyIgnored } from './ignored-files.ts'
import { lookAt } from './look-at.ts'

/** How a file looks from outside: an unchanged file looks the same. */
export interface Look {
  readonly size: number
  /** Milliseconds since 1970, with fractions. */
  readonly mtimeMs: number
  readonly ino: number
}

/** A file in a watched folder. */
export interface FoundFile extends Look {
  readonly name: string
  /** `NAME.done` lies beside it: its writer has finished. */
  readonly isMarked: boolean
}

interface FolderListing {
  readonly files: readonly FoundFile[]
  /** Files that a person would expect to be taken, and that cannot be because of their names. */
  readonly ignored: readonly IgnoredFile[]
}

/** How many files are examined at the same time. */
const AT_ONCE = 32

export const MARKER = '.done'
/** The ending of the notes beside filed files; a note must not be taken as a file if it comes back. */
export const REASON = '.reason.txt'
export const NOTE = '.note.txt'

/**
 * The regular files of a folder that match, without subfolders. Links, pipes, sockets and devices do not count, nor do
 * markers and the notes beside filed files.
 */
export async function findFiles(
  disk: Disk,
  folder: string,
  {
    pattern,
    isOthers,
  }: { readonly pattern: FilePattern /** Another trigger takes it. */; readonly isOthers: (name: string) => boolean },
): Promise<FolderListing> {
  const entries = await disk.readdir(folder, { withFileTypes: true })
  const markers = new Set<string>()
  const names: string[] = []
  const ignored: IgnoredFile[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    if (entry.name.endsWith(MARKER)) markers.add(entry.name)
    else if (entry.name.endsWith(REASON) || entry.name.endsWith(NOTE)) continue
    else if (pattern.matches(entry.name)) names.push(entry.name)
    else {
      // Nobody means `LIST.CSV` to lie beside the pattern `*.csv` for ever.
      const differences = pattern.unseenDifferences(entry.name)
      if (differences.length > 0 && !isOthers(entry.name))
        ignored.push({
          name: entry.name,
          why: `its name differs from the pattern by ${differences.join(' and ')} only`,
        })
    }
  }
  const files: FoundFile[] = []
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const looks = names.slice(at, at + AT_ONCE).map(async (name) => {
      const why = await whyIgnored(disk, folder, name)
      if (why !== undefined) return void ignored.push({ name, why })
      return look(disk, folder, name, markers.has(name + MARKER))
    })
    for (const file of await Promise.all(looks)) if (file) files.push(file)
  }
  return { files, ignored }
}

async function look(disk: Disk, folder: string, name: string, hasMarker: boolean): Promise<FoundFile | undefined> {
  const stats = await lookAt(disk, join(folder, name))
  if (!stats?.isFile()) return undefined
  const { size, mtimeMs, ino } = stats
  // A marker that is older than the file belongs to an earlier file of the same name.
  const marker = hasMarker ? await lookAt(disk, join(folder, name + MARKER)) : undefined
  return { name, size, mtimeMs, ino, isMarked: marker !== undefined && marker.mtimeMs >= mtimeMs }
}
