import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { formatSizeLimit } from '../core/format/figures.ts'
import { pathOfOpen } from './path-of-open.ts'

/**
 * The content of a file that somebody else names. This function never waits, as reading a pipe would, and does not read
 * a file that is too large. Throws an error that says why the file cannot be read, or what `check` throws for its path
 * or for the path of the open file.
 */
export function readBounded(path: string, maxBytes: number, check?: (path: string) => void): Buffer {
  check?.(path)
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    check?.(pathOfOpen(file, path))
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is not a file')
    if (stats.size > maxBytes) throw new Error(`it is larger than ${formatSizeLimit(maxBytes)}`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
