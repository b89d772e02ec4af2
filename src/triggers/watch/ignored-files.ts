import { join } from 'node:path'
import type { Occurrence } from '../../core/occurrence.ts'
import { mayBeNotUtf8, NAME_NOT_UTF8 } from '../../core/utf8-name.ts'
import type { Disk } from './disk.ts'
import { lookAt } from './look-at.ts'

/** A file that should be taken but never will be. */
export interface IgnoredFile {
  readonly name: string
  readonly why: string
}

/** No file system has longer names. */
const MAX_NAME_BYTES = 255
/** The maximum number of bytes that filing a file away adds to its name: `.<ticket>-99` and `.reason.txt`. */
const ADDED_BYTES = 35

/** Why a file of a watched folder is ignored; undefined if it is not. */
export async function whyIgnored(disk: Disk, folder: string, name: string): Promise<string | undefined> {
  const bytes = Buffer.byteLength(name)
  const most = MAX_NAME_BYTES - ADDED_BYTES
  if (bytes > most)
    return `its name has ${bytes} bytes, but only names of at most ${most} leave room for the suffix that done and failed add`
  // A name that really contains this character can be opened. A name that got it by decoding cannot.
  if (mayBeNotUtf8(name) && !(await lookAt(disk, join(folder, name)))) return NAME_NOT_UTF8
  return undefined
}

/** The occurrence of an ignored file. Each name has one in the occurrence store, so people are notified of it once. */
export function ignoredOccurrence(
  { name, why }: IgnoredFile,
  { folder, at }: { readonly folder: string; readonly at: number },
): Omit<Occurrence, 'pipeline' | 'trigger'> {
  const detail = { name, file: join(folder, name), ignored: true }
  return { key: `ignored ${name}`, at, state: 'failed', reason: why, detail }
}
