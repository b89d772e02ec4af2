import { join, parse } from 'node:path'
import { codeOf, type Disk } from './disk.ts'
import { lookAt } from './find-files.ts'

export interface Placing {
  readonly source: string
  /** Made where it is missing. */
  readonly folder: string
  readonly name: string
  /** What tells it from other files of its name: the same each time that the placing is tried. */
  readonly ticket: string
}

/**
 * Puts a file into a folder as well, whole and under its own name, or where that is taken under `name.<ticket>.csv`; gives
 * the path. Nothing is ever overwritten. Done again after a crash, it finds what it did. `undefined`: the source is gone.
 * The source stays until `release`: what is to be written beside the file can be there before.
 */
export async function placeFile(disk: Disk, placing: Placing): Promise<string | undefined> {
  const { source, folder, name, ticket } = placing
  const alone = ticketed(folder, name, ticket)
  if (!(await lookAt(disk, source))) return (await lookAt(disk, alone)) ? alone : undefined
  await disk.mkdir(folder, { recursive: true })
  const found = await link(disk, source, placing)
  if (found !== undefined) return found
  // Another file system: a copy that nobody sees, then the same with that.
  const part = partOf(placing)
  const before = await lookAt(disk, part)
  if (before && before.nlink > 1) {
    const placed = await link(disk, part, placing)
    if (placed !== undefined) return placed
  }
  try {
    await copy(disk, source, part)
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    // It belongs to somebody else: it cannot be read, and still be moved.
    await disk.rename(source, alone)
    return alone
  }
  const linked = await link(disk, part, placing)
  if (linked !== undefined) return linked
  // Without links only a name that nothing else has can be taken without a look at what is there.
  await disk.rename(part, alone)
  return alone
}

/** Lets go of the source of a file that was placed. */
export async function release(disk: Disk, placing: Placing): Promise<void> {
  await disk.rm(placing.source, { force: true })
  await disk.rm(partOf(placing), { force: true })
}

/** Undefined where the file system cannot link from here to there. */
async function link(disk: Disk, from: string, { folder, name, ticket }: Placing): Promise<string | undefined> {
  for (const path of candidates(folder, name, ticket)) {
    try {
      await disk.link(from, path)
      return path
    } catch (error) {
      const code = codeOf(error) ?? ''
      if (UNABLE_TO_LINK.includes(code)) return undefined
      if (code !== 'EEXIST') throw error
      const [ours, theirs] = await Promise.all([lookAt(disk, from), lookAt(disk, path)])
      if (ours && theirs && ours.ino === theirs.ino && ours.dev === theirs.dev) return path
    }
  }
  return undefined
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

/** The name, then names that hardly anything else has: files of the same name come every night. */
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
