import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder, by default one that only its owner may enter, with those above it. Level by level: if nothing can be created, as under /proc, Node's own recursive way never
 * ends.
 */
export function makeFolder(folder: string, mode = 0o700): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have created it at the same moment.
    if (!existsSync(folder)) throw error
  }
}
