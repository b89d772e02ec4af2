import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AudienceError, failedError } from '../core/errors.ts'
import { absolutePath } from '../platform/absolute-path.ts'
import { runGit } from '../platform/git/run-git.ts'
import type { Terminal } from './terminal.ts'

/** The folder in which people commit. */
export const CLONE = 'repository'
/** The folder that `audience start` reads. */
export const BARE = 'pipelines.git'
const TIMEOUT_MS = 60_000
/** Options for the first commit: it works even if git has no user name yet, asks nothing and runs no hooks. */
const ALONE = [
  'user.name=audience init',
  'user.email=audience@localhost',
  'commit.gpgsign=false',
  'core.hooksPath=/dev/null',
]

/** The address of the repository of a project. */
export function repositoryUrl(root: string): string {
  return pathToFileURL(join(root, BARE)).href
}

/** Throws `git-missing` unless the program git can be run. */
export async function requireGit(terminal: Terminal): Promise<void> {
  await git(['--version'], terminal)
}

/**
 * Makes a bare repository, which `audience start` reads, from the files in the folder `CLONE`. That folder becomes its
 * clone.
 */
export async function makeRepository(root: string, terminal: Terminal): Promise<void> {
  const [bare, clone] = [join(root, BARE), join(root, CLONE)]
  const here = (...args: string[]) =>
    git(['-C', clone, ...ALONE.flatMap((setting) => ['-c', setting]), ...args], terminal)
  await git(['init', '--quiet', '--bare', '--initial-branch=main', bare], terminal)
  await git(['init', '--quiet', '--initial-branch=main', clone], terminal)
  await here('add', '--all')
  await here('commit', '--quiet', '--message', 'the pipelines of audience init')
  await here('remote', 'add', 'origin', repositoryUrl(root))
  await here('push', '--quiet', '--set-upstream', 'origin', 'main')
}

async function git(args: readonly string[], { env, surroundings: { clock } }: Terminal): Promise<void> {
  const { signal } = new AbortController()
  const its = { ...env, PATH: absolutePath(env.PATH), GIT_TERMINAL_PROMPT: '0' }
  const end = await runGit({ args, env: its, clock, signal, timeoutMs: TIMEOUT_MS }).catch((cause: unknown) => {
    throw new AudienceError({
      code: 'git-missing',
      kind: 'usage',
      message: 'git cannot be run',
      cause,
      hint: 'install git 2.34 or newer, or leave out --git',
    })
  })
  if (end.code === 0) return
  throw failedError(
    'git-failed',
    `git failed${args[0] === '-C' ? ' in the new repository' : ''}: ${end.said.trim()}`,
    'the files were written; you can repeat the git commands by hand',
  )
}
