import { existsSync, readdirSync } from 'node:fs'
import { codeOf } from '../../src/core/code-of.ts'

/**
 * The names of everything in and below a folder, while others may add and remove files. Empty if the folder does not
 * exist.
 */
export function namesBelow(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  } catch (error) {
    // A folder was removed after its name was read and before its content was.
    if (codeOf(error) === 'ENOENT') return namesBelow(folder)
    throw error
  }
}
