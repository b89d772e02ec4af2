import { basename, join, parse } from 'node:path'
import { codeOf } from '../../core/code-of.ts'
import { NotRegularError } from '../../platform/open-regular.ts'
import type { Disk } from './disk.ts'
import { lookAt } from './look-at.ts'

export interface Placing {
  readonly source: string
  /** Created if it is missing. */
  readonly folder: string
  /** Whether the folder is known to exist. */
  readonly isFolderThere?: true
  /** A file with more bytes is moved and never copied, because copies take time and space. */
  readonly mostCopied?: number
  readonly name: string
  /** Distinguishes the file from others with the same name. Each attempt to place it uses the same ticket. */
  readonly ticket: string
}

/** A note that belongs beside a file. Each method takes the file's path. */
export interface Companion {
  /** Whether the note can have this path: somebody may have made a folder with its name. */
  fits(path: string): Promise<boolean>
  /** Writes the note. The file is not there yet. */
  put(path: string): Promise<void>
  /** Removes the note, because the file did not get this path. */
  remove(path: string): Promise<void>
}

/**
 * Puts a file into another folder, complete and under its own name, or under `name.<ticket>.csv` if the name is taken;
 * returns the path. It never overwrites a file. A repeated call after a crash finds what the first call did. Returns
 * undefined if the source is gone. The companion is written before the file arrives. The source stays until `release`.
 */
export async function placeFile(disk: Disk, placing: Placing, companion?: Companion): Promise<string | undefined> {
  const { source, folder, isFolderThere, mostCopied = Number.POSITIVE_INFINITY, name, ticket } = placing
  const alone = ticketed(folder, name, ticket)
  const looks = await lookAt(disk, source)
  if (!looks) return (await lookAt(disk, alone)) ? alone : undefined
  if (!isFolderThere) await disk.mkdir(folder, { recursive: true })
  const found = await link(disk, source, placing, companion)
  if (found !== undefined) return found
  if (looks.size > mostCopied) {
    return await moveUncopied(disk, source, alone, companion, TOO_LARGE)
  }
  // The folder is on another file system, or the file belongs to another user: make a hidden copy, then do the same
  // with the copy.
  const part = partOf(placing)
  const before = await lookAt(disk, part)
  if (before && before.nlink > 1) {
    const placed = await link(disk, part, placing, companion)
    if (placed !== undefined) return placed
  }
  try {
    await copy(disk, source, part)
  } catch (error) {
    // A link, pipe or device has nothing to copy: only the note records it.
    if (error instanceof NotRegularError) {
      await companion?.put(alone)
      // Somebody replaced the file with a folder. The folder is neither read nor removed.
      if (looks.isDirectory()) await disk.rename(source, alone)
      return alone
    }
    if (codeOf(error) !== 'EACCES') throw error
    // The file belongs to another user: it cannot be read, but it can be moved.
    return await moveUncopied(disk, source, alone, companion, NOT_COPIED)
  }
  const linked = await link(disk, part, placing, companion)
  if (linked !== undefined) return linked
  await companion?.put(alone)
  // The file system has no hard links, so only a unique name is safe without a check.
  await disk.rename(part, alone)
  return alone
}

const TOO_LARGE = 'it is too large to be copied to the file system of that folder: move it there yourself, or remove it'
const NOT_COPIED =
  'this process is not allowed to copy it to the file system of that folder (EACCES): let the user of audience start read it and write there, or remove it'

/** Moves a file that cannot be copied. If the target is on another file system, throws an error with the text `why`. */
async function moveUncopied(
  disk: Disk,
  source: string,
  alone: string,
  companion: Companion | undefined,
  why: string,
): Promise<string> {
  await companion?.put(alone)
  try {
    await disk.rename(source, alone)
    return alone
  } catch (error) {
    await companion?.remove(alone)
    throw codeOf(error) === 'EXDEV' ? new Error(why, { cause: error }) : error
  }
}

/** Removes the source of a file that was placed. */
export async function release(disk: Disk, placing: Placing): Promise<void> {
  await disk.rm(placing.source, { force: true })
  await disk.rm(partOf(placing), { force: true })
}

/**
 * Puts a whole file into a watched folder in one step, without replacing another file. If its name is taken in the
 * meantime, or the file system has no hard links, only a unique name is safe: `today.<ticket>.csv`. `otherName`: a
 * unique name would not match, so nothing was done. `gone`: the source is not there.
 */
export async function dropFile(
  disk: Disk,
  placing: Placing,
  matches: (name: string) => boolean,
): Promise<{ readonly state: 'dropped'; readonly path: string } | { readonly state: 'otherName' | 'gone' }> {
  const path = await placeFile(disk, placing)
  if (path === undefined) return { state: 'gone' }
  if (!matches(basename(path))) {
    // No trigger has taken it, because it does not match.
    await disk.rm(path, { force: true })
    return { state: 'otherName' }
  }
  await release(disk, placing)
  return { state: 'dropped', path }
}

/**
 * Links a file into a folder and returns its path there. Undefined if the file system cannot link from here to there.
 */
async function link(
  disk: Disk,
  from: string,
  { folder, name, ticket }: Placing,
  companion: Companion | undefined,
): Promise<string | undefined> {
  for (const path of candidates(folder, name, ticket)) {
    if (companion) {
      // An earlier call put the file there with its companion.
      if (await isSame(disk, from, path)) return path
      if ((await lookAt(disk, path)) || !(await companion.fits(path))) continue
      await companion.put(path)
    }
    try {
      await disk.link(from, path)
      return path
    } catch (error) {
      const code = codeOf(error) ?? ''
      if (UNABLE_TO_LINK.includes(code)) {
        await companion?.remove(path)
        return undefined
      }
      if (code !== 'EEXIST') throw error
      if (await isSame(disk, from, path)) return path
    }
  }
  return undefined
}

async function isSame(disk: Disk, one: string, other: string): Promise<boolean> {
  const [ours, theirs] = await Promise.all([lookAt(disk, one), lookAt(disk, other)])
  return ours !== undefined && theirs !== undefined && ours.ino === theirs.ino && ours.dev === theirs.dev
}

const UNABLE_TO_LINK = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

async function copy(disk: Disk, from: string, to: string): Promise<void> {
  await disk.rm(to, { force: true })
  const stats = await disk.lstat(from)
  await disk.copyFile(from, to)
  await disk.utimes(to, stats.atime, stats.mtime)
  const file = await disk.open(to, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The name, then names that are almost certainly free, because files with the same name come every night. */
function* candidates(folder: string, name: string, ticket: string): Generator<string> {
  yield join(folder, name)
  yield ticketed(folder, name, ticket)
  for (let number = 2; ; number++) yield ticketed(folder, name, `${ticket}-${number}`)
}

function ticketed(folder: string, name: string, ticket: string): string {
  const { name: stem, ext } = parse(name)
  return join(folder, `${stem}.${ticket}${ext}`)
}

function partOf({ folder, ticket }: Placing): string {
  return join(folder, `.${ticket}.part`)
}
