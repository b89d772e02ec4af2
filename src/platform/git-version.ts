import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Pipeline } from '../core/pipeline.ts'
import type { GitVersion } from '../core/run.ts'
import { contentDiffers } from './content-differs.ts'
import { findRepository } from './find-repository.ts'
import { type GitBlob, openGitRepository } from './git-repository.ts'
import { isBelow } from './is-below.ts'

/** Returns the commit of a document; undefined if git cannot determine it. Never rejects. */
export type GitVersionOf = (document: Pick<Pipeline, 'file' | 'text'>) => Promise<GitVersion | undefined>

/** The content of a folder in its commit. */
interface FolderCommit {
  readonly commit: string
  readonly files: ReadonlyMap<string, GitBlob>
}

/** Git is asked again after this time, even if its files look unchanged. */
const MAX_AGE_MS = 60_000

/**
 * Determines the versions of documents with the program `git`. Asks git once for all documents of a folder, and again
 * when the repository of the folder has changed. `now` is a clock in milliseconds.
 */
export function gitVersions(env: Readonly<Record<string, string | undefined>>, now: () => number): GitVersionOf {
  const folders = new Map<string, { mark: string; askedAt: number; said: Promise<FolderCommit | undefined> }>()

  async function commitOf(folder: string): Promise<FolderCommit | undefined> {
    const repository = await findRepository(folder)
    if (!repository) return undefined
    const mark = await fingerprintOf(repository.gitFolder)
    const known = folders.get(folder)
    if (known?.mark === mark && now() - known.askedAt < MAX_AGE_MS) return known.said
    const said = askGit(folder, repository.root, env)
    folders.set(folder, { mark, askedAt: now(), said })
    return said
  }

  return async ({ file, text }) => {
    try {
      const path = await realpath(file)
      const folder = await realpath(dirname(file))
      const said = await commitOf(folder)
      if (!said || !isBelow(folder, path)) return undefined
      const blob = said.files.get(path)
      // The text of the run may differ from the text that the file has now.
      const isOther = (await readFile(path, 'utf8')) !== text
      return { commit: said.commit, dirty: isOther || !blob || contentDiffers(path, blob) }
    } catch {
      // A problem with the repository or the file must not stop a run, because the run matters more than the name of a
      // commit.
      return undefined
    }
  }
}

/** Returns text that changes with every commit, checkout, reset and add. */
async function fingerprintOf(gitFolder: string): Promise<string> {
  const files = ['HEAD', 'logs/HEAD', 'index'].map((name) => stat(join(gitFolder, name)).catch(() => undefined))
  const stats = await Promise.all(files)
  return [gitFolder, ...stats.map((file) => (file ? `${file.ino} ${file.size} ${file.mtimeMs}` : ''))].join('\n')
}

async function askGit(
  folder: string,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FolderCommit | undefined> {
  const repository = await openGitRepository(root, env)
  // Git might find a repository other than the one at `root`, and watching it for changes would be useless.
  if (repository?.root !== root) return undefined
  const commit = (await repository.git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'))?.trim()
  const files = commit === undefined ? undefined : await repository.filesOf(commit, folder)
  return commit === undefined || !files ? undefined : { commit, files }
}
