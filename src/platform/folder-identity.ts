import { type Stats, statSync } from 'node:fs'

/** What a folder is, whichever links, mounts or spellings lead to it; one that cannot be looked at is its path. */
export function folderIdentity(path: string): string {
  try {
    return identityOf(path, statSync(path))
  } catch {
    return path
  }
}

export function identityOf(path: string, stats: Pick<Stats, 'dev' | 'ino'> | undefined): string {
  return stats ? `${stats.dev} ${stats.ino}` : path
}
