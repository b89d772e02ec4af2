import type { Dirent, Stats } from 'node:fs'

/** The kind of a file system entry, in words. */
export function fileKind(found: Dirent | Stats): string {
  if (found.isFile()) return 'a file'
  if (found.isDirectory()) return 'a folder'
  if (found.isSymbolicLink()) return 'a link'
  if (found.isFIFO()) return 'a named pipe'
  return found.isSocket() ? 'a socket' : 'a device'
}
