import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Puts a file or the entries of a folder on disk: a new name survives a power cut only when its folder was written. */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
