import { dirname, resolve } from 'node:path'
import type { Occurrence } from '../../core/occurrence.ts'
import { localDisk } from './disk.ts'
import { lookAt } from './look-at.ts'

/** The path of a file that lies in `failed`, so that it can be dropped again; undefined for any other. */
export async function failedFileOf({ open, detail = {} }: Occurrence): Promise<string | undefined> {
  const { movedTo, failed } = detail
  if (open || typeof movedTo !== 'string' || typeof failed !== 'string') return undefined
  if (dirname(movedTo) !== resolve(failed)) return undefined
  // A link is no file that was moved there.
  return (await lookAt(localDisk, movedTo))?.isFile() ? movedTo : undefined
}
