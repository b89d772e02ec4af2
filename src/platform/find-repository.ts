import { lstat, readFile } from 'node:fs/promises'
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
