import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * Flushes a file or the entries of a folder to disk, because a new name survives a power cut only if its folder was
 * flushed.
 */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
