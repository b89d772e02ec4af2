import { dirname, join, resolve } from 'node:path'
import { type AudienceError, usageError } from '../core/errors.ts'
import { commitNamed, type GitRepository, openGitRepository } from '../platform/git-repository.ts'
import { realPath } from '../platform/real-path.ts'
import { touchesTree } from '../policy/allowed-file.ts'
import { CONFIG_NAME, type ConfigFile, readConfig } from './read-config.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The configuration to trust for a plan of a branch that other people wrote. */
export interface BaseConfig {
  /** The real path of the working tree; without git, the working directory. */
  readonly root: string
  /** The git ref of the base; undefined without a base. */
  readonly ref: string | undefined
  /** The file of the base, or a named file outside the working tree; undefined if there is none. */
  readonly file: ConfigFile | undefined
}

/**
 * Reads audience.yaml from the base branch. `base` is a git ref; without it, GITHUB_BASE_REF or
 * CI_MERGE_REQUEST_TARGET_BRANCH_NAME names a branch of `origin`. Throws an AudienceError of the kind `usage` if git
 * does not know the base, because no other configuration may be read instead.
 */
export async function readBaseConfig(
  base: string | undefined,
  { cwd, env }: { cwd: string; env: Env },
): Promise<BaseConfig> {
  const here = realPath(cwd)
  const repository = await openGitRepository(here, env)
  const root = repository?.root ?? here
  const named = env.AUDIENCE_CONFIG ? resolve(here, env.AUDIENCE_CONFIG) : undefined
  const ref = base ?? targetBranch(env)
  const commit = ref === undefined ? undefined : await commitOf(ref, repository, here)
  // The person who starts the command named it, so no branch can have written it.
  if (named !== undefined && !touchesTree(named, root))
    return { root, ref, file: readConfig({ ...env, AUDIENCE_CONFIG: named }, here) }
  if (!repository || commit === undefined) return { root, ref: undefined, file: undefined }
  return {
    root,
    ref,
    file: await fileOf(commit, named ?? here, { repository, isNamed: named !== undefined, ref: ref ?? '' }),
  }
}

/**
 * The target branch of a pull request by its full name, because a tag `origin/main` would take precedence over the
 * branch.
 */
export function targetBranch({ GITHUB_BASE_REF, CI_MERGE_REQUEST_TARGET_BRANCH_NAME }: Env): string | undefined {
  const branch = GITHUB_BASE_REF || CI_MERGE_REQUEST_TARGET_BRANCH_NAME
  return branch ? `refs/remotes/origin/${branch}` : undefined
}

async function commitOf(ref: string, repository: GitRepository | undefined, folder: string): Promise<string> {
  if (!repository)
    throw unusable(
      `git cannot open a repository in ${folder}`,
      'start it in the checkout of the branch; `git status` says what git refuses',
    )
  return await commitNamed(ref, repository, { option: '--base', unusable })
}

/** The named file, or the first one from a folder upwards to the root of the repository. */
async function fileOf(
  commit: string,
  from: string,
  { repository, isNamed, ref }: { repository: GitRepository; isNamed: boolean; ref: string },
): Promise<ConfigFile | undefined> {
  const { root } = repository
  const files = await repository.filesOf(commit)
  if (!files) throw unusable(`git cannot list the files of ${ref}`, 'try `git ls-tree` in this folder')
  const path = (isNamed ? [from] : foldersUpTo(root, from).map((folder) => join(folder, CONFIG_NAME))).find((one) =>
    files.has(one),
  )
  const blob = path === undefined ? undefined : files.get(path)
  if (path === undefined || !blob) {
    if (isNamed) throw unusable(`${ref} has no ${from}`, 'check --config and AUDIENCE_CONFIG')
    return undefined
  }
  const text = blob.isLink ? undefined : await repository.textOf(blob)
  if (text === undefined)
    throw unusable(`${path} of ${ref} is a link or cannot be read`, 'replace it there with a regular file')
  return { file: path, by: isNamed ? 'name' : 'search', text }
}

function foldersUpTo(root: string, folder: string): string[] {
  return folder === root || folder === dirname(folder) ? [folder] : [folder, ...foldersUpTo(root, dirname(folder))]
}

function unusable(message: string, hint: string): AudienceError {
  return usageError('no-base', message, hint)
}
