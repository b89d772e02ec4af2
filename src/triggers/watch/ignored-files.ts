import { join } from 'node:path'
import type { Occurrence } from '../../core/trigger-ledger.ts'
import type { Disk } from './disk.ts'
import { lookAt } from './look-at.ts'

/** A file that matches and cannot be taken, whatever happens. */
export interface IgnoredFile {
  readonly name: string
  readonly why: string
}

/** No file system has longer names. */
const MAX_NAME_BYTES = 255
/** What the end of a run adds to a name: `.<ticket>-99` and `.reason.txt`. */
const ADDED_BYTES = 35
/** What Node makes of bytes that are not UTF-8. */
const NOT_UTF8 = '\ufffd'

/** Why a file of a watched folder is ignored; undefined where it is not. */
export async function whyIgnored(disk: Disk, folder: string, name: string): Promise<string | undefined> {
  const bytes = Buffer.byteLength(name)
  const most = MAX_NAME_BYTES - ADDED_BYTES
  if (bytes > most)
    return `its name has ${bytes} bytes, and more than ${most} leave no room for what is added to it in done and failed`
  // A name with that character in it is found under it; a name that was decoded with it is not.
  if (name.includes(NOT_UTF8) && !(await lookAt(disk, join(folder, name)))) return 'its name is not UTF-8'
  return undefined
}

/** An ignored file for the ledger, where each has its name once: so people hear of it once. */
export function ignoredOccurrence(
  { name, why }: IgnoredFile,
  { folder, at }: { readonly folder: string; readonly at: number },
): Omit<Occurrence, 'pipeline' | 'trigger'> {
  const detail = { name, file: join(folder, name), ignored: true }
  return { key: `ignored ${name}`, at, state: 'failed', reason: why, detail }
}
