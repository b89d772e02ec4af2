import { statSync } from 'node:fs'

/** Whether a path is a file that could be sent. A folder, or a path that cannot be read, is not. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
