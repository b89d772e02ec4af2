import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import type { AudienceError } from '../core/errors.ts'
import { absolutePath } from './absolute-path.ts'
import { LINK, SUBMODULE, treeEntry } from './git/tree.ts'
import { isBelow } from './is-below.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A repository that may be hostile: whoever wrote it also wrote its configuration, attributes and hooks. */
export interface GitRepository {
  /** The real path of its working tree. */
  readonly root: string
  /** Runs a git command, which must not compare the working tree. Undefined if git fails or takes too long. */
  git(...args: readonly string[]): Promise<string | undefined>
  /** The files of a commit by their real paths; only those below `folder` if one is given. */
  filesOf(commit: string, folder?: string): Promise<ReadonlyMap<string, GitBlob> | undefined>
  /** The text of a blob as it is stored: no filter changes it. */
  textOf(blob: GitBlob): Promise<string | undefined>
}

/** A file in a commit. */
export interface GitBlob {
  readonly id: string
  /** In bytes. */
  readonly size: number
  /** Whether it is a link: its content is then the path to which the link leads. */
  readonly isLink: boolean
}

/** The variables that git needs to find itself, and the settings of the user who runs it, such as `safe.directory`. */
const KEPT =
  /^(PATH|HOME|XDG_CONFIG_HOME|SUDO_UID|GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT)|GIT_CONFIG_(KEY|VALUE)_\d+)$/

/**
 * Keeps git from acting on its own: starting a monitor, a hook, a pager or an editor, or contacting a remote for
 * missing objects.
 */
const QUIET = {
  LC_ALL: 'C',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
} as const
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.untrackedCache=false',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting])

const TIMEOUT_MS = 5000
const MOST_OUTPUT_BYTES = 64_000_000

/**
 * Opens the repository whose working tree contains the folder; undefined if there is none, or if git refuses it because
 * it belongs to somebody else. Git finds it and checks its owner. Every later call names the repository's folders
 * explicitly, so a folder that only looks like a repository is never used. Nothing here compares a working tree,
 * because that would run the filters that the repository names. `contentDiffers` compares without them.
 */
export async function openGitRepository(folder: string, env: Env): Promise<GitRepository | undefined> {
  const found = await runGit(['-C', folder, 'rev-parse', '--show-toplevel', '--absolute-git-dir'], env)
  const [root, gitFolder] = found?.split('\n') ?? []
  // `core.worktree` could name any other folder.
  if (root === undefined || gitFolder === undefined || !isBelow(root, realpathSync(folder))) return undefined
  const git = (...args: readonly string[]) =>
    runGit([`--git-dir=${gitFolder}`, `--work-tree=${root}`, '-C', root, ...args], env)
  return {
    root,
    git,
    textOf: ({ id }) => git('cat-file', 'blob', id),
    async filesOf(commit, below = root) {
      const prefix = relative(root, below)
      const output = await git('ls-tree', '-r', '-z', '-l', '--full-tree', commit, '--', ...(prefix ? [prefix] : []))
      return output === undefined ? undefined : readTree(output, root)
    },
  }
}

/**
 * The commit that a ref names. Throws the error that `unusable` makes if the name means more than one thing, such as a
 * branch and a tag, because git would take the tag, and a comparison with it could show no difference.
 */
export async function commitNamed(
  ref: string,
  { git }: Pick<GitRepository, 'git'>,
  { option, unusable }: { option: string; unusable: (message: string, hint: string) => AudienceError },
): Promise<string> {
  const [name = ''] = ref.split(/[~^@:]/)
  const names = ['refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'].map((prefix) => `${prefix}${name}`)
  const found = (await git('for-each-ref', '--format=%(refname)', '--', ...names))?.split('\n') ?? []
  // Git also returns everything below a name: all branches of `origin`.
  const meant = found.filter((one) => names.includes(one))
  if (meant.length > 1)
    throw unusable(
      `${ref} is ambiguous: it names ${meant.join(' and ')}`,
      `give the whole name: ${option} refs/remotes/origin/main`,
    )
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`)
  if (commit === undefined)
    throw unusable(`git does not know ${ref || '""'}`, 'fetch it first, for example with fetch-depth: 0 in CI')
  return commit.trim()
}

function runGit(args: readonly string[], env: Env): Promise<string | undefined> {
  const kept = Object.entries(env).filter(([name]) => KEPT.test(name))
  return new Promise((tell) => {
    execFile(
      'git',
      ['--no-optional-locks', '--no-pager', '--literal-pathspecs', ...SETTINGS, ...args],
      {
        env: { ...Object.fromEntries(kept), ...QUIET, PATH: absolutePath(env.PATH) },
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MOST_OUTPUT_BYTES,
      },
      (error, stdout) => tell(error ? undefined : stdout),
    )
  })
}

/** The files and links in the output of `git ls-tree -r -z -l`. */
function readTree(output: string, root: string): ReadonlyMap<string, GitBlob> {
  const files = output.split('\0').flatMap((entry): [string, GitBlob][] => {
    const found = treeEntry(entry)
    if (!found || found.mode === SUBMODULE) return []
    const { mode, id, size, path } = found
    return [[`${root === '/' ? '' : root}/${path}`, { id, size, isLink: mode === LINK }]]
  })
  return new Map(files)
}
