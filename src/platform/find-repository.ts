import { lstat, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** The repository of a folder, found without starting a process. Its git folder may be elsewhere, as in a worktree. */
export async function findRepository(folder: string): Promise<{ root: string; gitFolder: string } | undefined> {
  for (let root = folder; ; root = dirname(root)) {
    const entry = join(root, '.git')
    const found = await lstat(entry).catch(() => undefined)
    if (found?.isFile()) {
      const [, path] = /^gitdir: (.+)/.exec(await readFile(entry, 'utf8')) ?? []
      if (path !== undefined) return { root, gitFolder: resolve(root, path) }
    } else if (found) return { root, gitFolder: entry }
    if (dirname(root) === root) return undefined
  }
}

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
