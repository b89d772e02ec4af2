import { lstat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Occurrence } from '../../core/occurrence.ts'
import { lookAt } from './look-at.ts'

/**
 * The path of a file in `failed`, so that it can be dropped again; undefined for any other file. Commands that only
 * list files use this function, so this file does not load the watcher.
 */
export async function failedFileOf({ open, detail = {} }: Occurrence): Promise<string | undefined> {
  const { movedTo, failed } = detail
  if (open || typeof movedTo !== 'string' || typeof failed !== 'string') return undefined
  if (dirname(movedTo) !== resolve(failed)) return undefined
  // A link is not a file that was moved there.
  return (await lookAt({ lstat }, movedTo))?.isFile() ? movedTo : undefined
}
