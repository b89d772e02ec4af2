import { existsSync, readdirSync } from 'node:fs'
import { codeOf } from '../../src/core/code-of.ts'

/** The names of all that is in a folder and below it, while others may add and remove things; none if there is no folder. */
export function namesBelow(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  } catch (error) {
    // A folder in it was removed between its name and what is in it.
    if (codeOf(error) === 'ENOENT') return namesBelow(folder)
    throw error
  }
}
