import type { Dirent } from 'node:fs'
import { extname, join } from 'node:path'
import { count } from '../../core/format/figures.ts'
import type { Occurrence } from '../../core/occurrence.ts'
import { mayBeNotUtf8, NAME_NOT_UTF8 } from '../../core/utf8-name.ts'
import type { Disk } from './disk.ts'
import type { FilePattern } from './file-pattern.ts'
import { fileKind, lookAt } from './look-at.ts'

/** How a file looks from outside: an unchanged file looks the same. */
export interface Look {
  readonly size: number
  /** Milliseconds since 1970, with fractions. */
  readonly mtimeMs: number
  readonly ino: number
  /** Changes with the content. Only sources such as buckets have a version. */
  readonly version?: string
}

/** A file in a watched folder. */
export interface FoundFile extends Look {
  readonly name: string
  /** `NAME.done` is beside it: its writer has finished. */
  readonly isMarked: boolean
}

/** A file that should be taken but never will be. */
export interface IgnoredFile {
  readonly name: string
  readonly why: string
}

/** How many files are examined at the same time. */
const AT_ONCE = 32

export const MARKER = '.done'
/** The suffix of the notes beside files that were filed away. If a note comes back, it must not be taken as a file. */
export const REASON = '.reason.txt'
export const NOTE = '.note.txt'

interface Wanted {
  readonly pattern: FilePattern
  /** Whether another trigger takes a file with this name. */
  readonly isOthers: (name: string) => boolean
  /** The folders in use, by path. */
  readonly used: readonly string[]
}

/**
 * The matching regular files of a folder, without those in its subfolders. Links, pipes, sockets and devices do not
 * count, nor do markers and the notes beside filed files.
 */
export async function findFiles(disk: Disk, folder: string, wanted: Wanted) {
  const { pattern, isOthers, used } = wanted
  const entries = await disk.readdir(folder, { withFileTypes: true })
  const markers = new Set<string>()
  const names: string[] = []
  /** Files that a person would expect to be taken, but that cannot be taken because of their names. */
  const ignored: IgnoredFile[] = []
  for (const entry of entries) {
    if (!entry.isFile()) {
      const why = used.includes(join(folder, entry.name)) ? undefined : whyNoFile(entry, pattern)
      if (why !== undefined) ignored.push({ name: entry.name, why })
    } else if (entry.name.endsWith(MARKER)) markers.add(entry.name)
    else if (entry.name.endsWith(REASON) || entry.name.endsWith(NOTE)) continue
    else if (pattern.matches(entry.name)) {
      // If two files are listed with the same name, at most one of them really has it.
      if (names.includes(entry.name)) ignored.push({ name: entry.name, why: NAME_NOT_UTF8 })
      else names.push(entry.name)
    } else {
      // With the pattern `*.csv`, a `LIST.CSV` is a mistake, because it would stay there forever.
      const differences = pattern.unseenDifferences(entry.name)
      if (differences.length > 0 && !isOthers(entry.name))
        ignored.push({
          name: entry.name,
          why: `its name differs from the pattern only in ${differences.join(' and ')}`,
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

/**
 * The problem with an entry that is not a regular file but has the name of one, or of a marker; undefined for all
 * others.
 */
function whyNoFile(entry: Dirent, pattern: FilePattern): string | undefined {
  const { name } = entry
  const marked = name.endsWith(MARKER) ? name.slice(0, -MARKER.length) : undefined
  if (marked !== undefined && pattern.matches(marked))
    return `it is ${fileKind(entry)} and not a marker: put an empty file in its place, or remove it; ${marked} is taken when it has settled`
  // A folder whose name has no ending is an ordinary subfolder.
  if (!pattern.matches(name) || (entry.isDirectory() && extname(name) === '')) return undefined
  return `it is ${fileKind(entry)} and not a file: put a file in its place, or remove it`
}

async function look(disk: Disk, folder: string, name: string, hasMarker: boolean): Promise<FoundFile | undefined> {
  const stats = await lookAt(disk, join(folder, name))
  if (!stats?.isFile()) return undefined
  const { size, mtimeMs, ino } = stats
  // A marker that is older than the file belongs to an earlier file of the same name.
  const marker = hasMarker ? await lookAt(disk, join(folder, name + MARKER)) : undefined
  return { name, size, mtimeMs, ino, isMarked: marker?.isFile() === true && marker.mtimeMs >= mtimeMs }
}

/** No file system has longer names. */
const MAX_NAME_BYTES = 255
/** The maximum number of bytes that filing a file away adds to its name: `.<ticket>-99` and `.reason.txt`. */
const ADDED_BYTES = 35

/** Why a file of a watched folder is ignored; undefined if it is not. */
async function whyIgnored(disk: Disk, folder: string, name: string): Promise<string | undefined> {
  const bytes = Buffer.byteLength(name)
  const most = MAX_NAME_BYTES - ADDED_BYTES
  if (bytes > most)
    return `its name has ${count(bytes, 'byte')}, but only names of at most ${most} leave room for the suffix that done and failed add`
  // A name that really contains U+FFFD can be opened. A name that got it by decoding cannot.
  if (mayBeNotUtf8(name) && !(await lookAt(disk, join(folder, name)))) return NAME_NOT_UTF8
  return undefined
}

/** The occurrence of an ignored file. Each name has one in the occurrence store, so people are notified of it once. */
export function ignoredOccurrence(
  { name, why }: IgnoredFile,
  { folder, at }: { folder: string; at: number },
): Omit<Occurrence, 'pipeline' | 'trigger'> {
  const detail = { name, file: join(folder, name), ignored: true }
  return { key: `ignored ${name}`, at, state: 'failed', reason: why, detail }
}
