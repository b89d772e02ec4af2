import { dirname, resolve } from 'node:path'
import type { Occurrence } from '../../core/occurrence.ts'
import { localDisk } from '../../triggers/watch/disk.ts'
import { lookAt } from '../../triggers/watch/look-at.ts'

/** The path of a file that lies in `failed` and never had a run; undefined for any other. */
export async function failedFileOf({ open, runId, detail = {} }: Occurrence): Promise<string | undefined> {
  const { movedTo, failed } = detail
  if (open || runId !== undefined || typeof movedTo !== 'string' || typeof failed !== 'string') return undefined
  if (dirname(movedTo) !== resolve(failed)) return undefined
  // A link is no file that was moved there.
  return (await lookAt(localDisk, movedTo))?.isFile() ? movedTo : undefined
}
