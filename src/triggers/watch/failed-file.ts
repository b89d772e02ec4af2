import { lstat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { codeOf } from '../../core/code-of.ts'
import type { Occurrence } from '../../core/occurrence.ts'

/** The path of a file in `failed`, so that it can be dropped again; undefined for any other file. */
export async function failedFileOf({ open, detail = {} }: Occurrence): Promise<string | undefined> {
  const { movedTo, failed } = detail
  if (open || typeof movedTo !== 'string' || typeof failed !== 'string') return undefined
  if (dirname(movedTo) !== resolve(failed)) return undefined
  return (await isFile(movedTo)) ? movedTo : undefined
}

/** A link is not a file that was moved there. Commands that only list files do not load the watcher for this. */
async function isFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}
