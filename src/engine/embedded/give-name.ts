import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'

/**
 * Gives a file that was made aside its name. Fails where there is something under the name by now; where the file system
 * has no links, it is only looked for.
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
