import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { AudienceError } from '../core/errors.ts'

/** Variables that would make git use another repository. Git sets them in hooks. */
export const ELSEWHERE = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_NAMESPACE']

/**
 * The real paths of the files that differ from the commit where this branch left `ref`, in commits or not, and of new
 * ones that git does not ignore. By the program `git`. Throws an AudienceError of the kind `usage`.
 */
export async function changedSince(
  ref: string,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<ReadonlySet<string>> {
  const git = (...args: readonly string[]) => run(args, folder, env)
  const root = (await git('rev-parse', '--show-toplevel'))?.trim()
  if (root === undefined)
    throw unusable(`${folder} is in no git repository`, 'name the pipeline instead of --changed-since')
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
  const listed = await Promise.all([
    git('diff', '--name-only', '--no-renames', '--no-ext-diff', '-z', base.trim()),
    git('ls-files', '--others', '--exclude-standard', '--full-name', '-z', root),
  ])
  const paths = listed.flatMap((output) => output?.split('\0') ?? []).filter((path) => path !== '')
  return new Set(paths.map((path) => join(realpathSync(root), path)))
}

function run(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const here = Object.fromEntries(Object.entries(env).filter(([name]) => !ELSEWHERE.includes(name)))
  return new Promise((tell) => {
    execFile(
      'git',
      ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', folder, ...args],
      { env: { ...here, LC_ALL: 'C' }, maxBuffer: 64_000_000 },
      (error, stdout) => tell(error ? undefined : stdout),
    )
  })
}

function unusable(message: string, hint: string): AudienceError {
  return new AudienceError({ code: 'no-git-changes', kind: 'usage', message, hint })
}
