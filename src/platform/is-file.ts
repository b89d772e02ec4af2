import { statSync } from 'node:fs'
import { reasonOf } from '../core/message-of.ts'

/** Whether a path is a file that could be sent. A folder, or a path that cannot be read, is not. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * Why the system does not let this user look at a path, such as a folder without permission above it: then nobody may
 * say that nothing is there. Undefined if it does.
 */
export function whyUnseen(path: string): string | undefined {
  try {
    statSync(path, { throwIfNoEntry: false })
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}
