import { join } from 'node:path'
import { type AudienceError, usageError } from '../core/errors.ts'
import { contentDiffers } from './content-differs.ts'
import { SUBMODULE } from './git/tree.ts'
import { commitNamed, type GitBlob, type GitRepository, openGitRepository } from './git-repository.ts'
import { isBelow } from './is-below.ts'
import { isFile } from './is-file.ts'

/** The commit at which this branch diverged from another one. */
export interface GitBase {
  /**
   * Whether the file at a real path differs from the commit, committed or not; false for a file that git ignores. If a
   * submodule is at another commit, all of it has changed.
   */
  hasChanged(path: string): boolean
  /** The files of the commit, by their real paths. */
  readonly files: ReadonlyMap<string, GitBlob>
  readonly textOf: GitRepository['textOf']
}

/**
 * The commit at which this branch diverged from `ref`, from the program `git`. Throws an AudienceError of the kind
 * `usage`.
 */
export async function baseSince(
  ref: string,
  { folder, env }: { folder: string; env: Readonly<Record<string, string | undefined>> },
): Promise<GitBase> {
  const repository = await openGitRepository(folder, env)
  if (!repository) {
    throw unusable(
      `git cannot open a repository in ${folder}`,
      '`git status` there says why; without a repository, name the pipeline instead of --changed-since',
    )
  }
  const { git, root } = repository
  const commit = await commitNamed(ref, repository, { option: '--changed-since', unusable })
  const base = await git('merge-base', commit, 'HEAD')
  if (base === undefined) {
    throw unusable(
      `${ref} and this branch have no common commit`,
      'fetch the whole history, for example with fetch-depth: 0 in CI',
    )
  }
  const [files, listed, moved] = await Promise.all([
    repository.filesOf(base.trim()),
    git('ls-files', '--cached', '--others', '--exclude-standard', '-z'),
    git('diff-index', '--cached', '--raw', '-z', '--no-renames', '--ignore-submodules=none', base.trim()),
  ])
  if (!files || listed === undefined || moved === undefined) {
    throw unusable(`git cannot list the files of ${ref}`, 'try `git ls-tree` and `git ls-files` in this folder')
  }
  const notIgnored = new Set(listed.split('\0').map((path) => join(root, path)))
  const submodules = [...moved.matchAll(MOVED_SUBMODULE)].map(([, path = '']) => join(root, path))
  return {
    files,
    textOf: repository.textOf,
    hasChanged(path) {
      const blob = files.get(path)
      if (submodules.some((folder) => isBelow(folder, path))) return true
      if (!isFile(path)) return blob !== undefined
      return blob ? contentDiffers(path, blob) : notIgnored.has(path)
    },
  }
}

/** A submodule in the output of `git diff-index --raw -z` that is new, or has another commit. */
const MOVED_SUBMODULE = new RegExp(String.raw`:\d{6} ${SUBMODULE} [^\0]*\0([^\0]+)`, 'g')

function unusable(message: string, hint: string): AudienceError {
  return usageError('no-git-changes', message, hint)
}
