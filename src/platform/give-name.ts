import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'

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
