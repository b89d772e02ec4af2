import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'

/**
 * Gives a temporary file its final name. Fails if the name already exists. If the file system has no links, it only
 * checks for the name.
 */
export function giveName(aside: string, file: string): void {
  try {
    linkSync(aside, file)
  } catch (error) {
    if (existsSync(file)) throw error
    renameSync(aside, file)
    return
  }
  rmSync(aside)
}

/** Returns when a file, or the names in a folder, are on disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
