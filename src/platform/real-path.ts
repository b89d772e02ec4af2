import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The most links in a row that a system follows. */
export const MOST_LINKS = 40

/**
 * The real path; of a path that does not exist or cannot be examined, where it would be. A link that leads to nothing is
 * followed as one that leads to something: otherwise the answer would tell which of the two it is. Links that go round in
 * circles stay as they are.
 */
export function realPath(path: string, links = MOST_LINKS): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    if (links === 0 || folder === path) return path
    const target = linkAt(path)
    const above = realPath(folder, links - 1)
    return target === undefined ? join(above, basename(path)) : realPath(resolve(above, target), links - 1)
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
