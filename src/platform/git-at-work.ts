import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findRepository } from './find-repository.ts'

/** Git that was killed leaves its lock; no checkout goes on for so long. */
const STALE_MS = 600_000

/**
 * Whether git changes the working tree of a folder now, such as in a pull: it holds the lock of the index meanwhile. `now` is
 * in milliseconds since 1970.
 */
export async function isGitAtWork(folder: string, now: number): Promise<boolean> {
  const repository = await findRepository(folder).catch(() => undefined)
  const lock = repository && (await stat(join(repository.gitFolder, 'index.lock')).catch(() => undefined))
  return lock !== undefined && Math.abs(now - lock.mtimeMs) < STALE_MS
}
