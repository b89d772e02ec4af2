import { statSync } from 'node:fs'

/** Whether there is a file that could be sent; a folder is none. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
