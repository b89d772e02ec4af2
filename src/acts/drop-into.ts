import { join } from 'node:path'
import { usageError } from '../core/errors.ts'
import type { Disk } from '../triggers/watch/disk.ts'
import { filePattern } from '../triggers/watch/file-pattern.ts'
import { lookAt } from '../triggers/watch/look-at.ts'
import type { Placing } from '../triggers/watch/place-file.ts'
import { dropFile } from '../triggers/watch/place-file.ts'

/** Puts a file into a watched folder for a person, and returns its path. Throws `file-exists` or `file-gone`. */
export async function dropInto(disk: Disk, placing: Placing, pattern: string): Promise<string> {
  const { folder, name } = placing
  if (await lookAt(disk, join(folder, name)))
    throw usageError(
      'file-exists',
      `the folder already has a file ${name}`,
      'wait until it is taken, or give another name',
    )
  const dropped = await dropFile(disk, placing, filePattern(pattern).matches)
  if (dropped.state === 'dropped') return dropped.path
  if (dropped.state === 'gone') throw usageError('file-gone', `the file ${name} is no longer there`)
  throw usageError(
    'file-exists',
    `${name} cannot be put into the folder without the risk of replacing another file`,
    `the folder’s file system has no hard links, and a unique name would not match ${pattern}: copy the file there yourself`,
  )
}
