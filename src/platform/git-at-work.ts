import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findRepository } from './find-repository.ts'

/** A lock that is older than this was left by a git that was killed: no checkout takes that long. */
const STALE_MS = 600_000

/**
 * Whether git is changing the working tree of a folder now, for example in a pull: git then holds the lock of the
 * index. `now` is in milliseconds since 1970.
 */
export async function isGitAtWork(folder: string, now: number): Promise<boolean> {
  const repository = await findRepository(folder).catch(() => undefined)
  const lock = repository && (await stat(join(repository.gitFolder, 'index.lock')).catch(() => undefined))
  return lock !== undefined && Math.abs(now - lock.mtimeMs) < STALE_MS
}
