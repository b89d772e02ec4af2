import { existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { pathOfOpen } from '../../platform/path-of-open.ts'
import type { Disk } from './disk.ts'

/** Where an open folder can be named by its descriptor. */
const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = existsSync(DESCRIPTORS)

/** Opens a folder and works on it; throws if something else has taken the place of it since its way was judged. */
export async function openFolder<T>(
  disk: Pick<Disk, 'open'>,
  /** Without links. */
  path: string,
  flags: number,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await disk.open(path, flags)
  try {
    if (hasDescriptors && pathOfOpen(file.fd, path) !== path) throw new Error(`${path} was moved while it was opened`)
    return await work(file)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The way to an open folder, which goes on whatever happens to its name. */
export function wayInto(file: FileHandle, path: string): string {
  return hasDescriptors ? join(DESCRIPTORS, String(file.fd)) : path
}

/** The way to the folder above an open one. */
export function wayAbove(file: FileHandle, path: string): string {
  return `${wayInto(file, path)}/..`
}
