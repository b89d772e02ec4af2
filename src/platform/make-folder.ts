import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, by default with access only for its owner. It works level by level, because if
 * nothing can be created, as under /proc, Node's own recursive function never ends.
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
