import { statSync } from 'node:fs'

/** Whether there is a file that could be sent; a folder is none, and neither is what cannot be looked at. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
