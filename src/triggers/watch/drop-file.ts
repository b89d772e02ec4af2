import { basename } from 'node:path'
import type { Disk } from './disk.ts'
import { type Placing, placeFile, release } from './place-file.ts'

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
