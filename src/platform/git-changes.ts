import { join } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import { contentDiffers } from './content-differs.ts'
import { type GitBlob, type GitRepository, openGitRepository } from './git-repository.ts'
import { isFile } from './is-file.ts'

/** The commit where this branch left another one. */
export interface GitBase {
  /** Whether the file at a real path differs from the commit, in commits or not; false for a file that git ignores. */
  hasChanged(path: string): boolean
  /** The files of the commit, by their real paths. */
  readonly files: ReadonlyMap<string, GitBlob>
  readonly textOf: GitRepository['textOf']
}

/** The commit where this branch left `ref`, by the program `git`. Throws an AudienceError of the kind `usage`. */
export async function baseSince(
  ref: string,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<GitBase> {
  const repository = await openGitRepository(folder, env)
  if (!repository) throw unusable(`${folder} is in no git repository`, 'name the pipeline instead of --changed-since')
  const { git, root } = repository
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`)
  if (commit === undefined)
    throw unusable(`git does not know ${ref}`, 'fetch it first, such as with fetch-depth: 0 in CI')
  const base = await git('merge-base', commit.trim(), 'HEAD')
  if (base === undefined) {
    throw unusable(
      `${ref} and this branch have no common commit`,
      'fetch the whole history, such as with fetch-depth: 0 in CI',
    )
  }
  const [files, listed] = await Promise.all([
    repository.filesOf(base.trim()),
    git('ls-files', '--cached', '--others', '--exclude-standard', '-z'),
  ])
  if (!files || listed === undefined) {
    throw unusable(`git cannot list the files of ${ref}`, 'try `git ls-tree` and `git ls-files` in this folder')
  }
  const notIgnored = new Set(listed.split('\0').map((path) => join(root, path)))
  return {
    files,
    textOf: repository.textOf,
    hasChanged(path) {
      const blob = files.get(path)
      if (!isFile(path)) return blob !== undefined
      return blob ? contentDiffers(path, blob) : notIgnored.has(path)
    },
  }
}

function unusable(message: string, hint: string): AudienceError {
  return new AudienceError({ code: 'no-git-changes', kind: 'usage', message, hint })
}
