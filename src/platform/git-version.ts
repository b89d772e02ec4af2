import { execFile } from 'node:child_process'
import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Pipeline } from '../core/pipeline.ts'
import type { GitVersion } from '../core/run.ts'
import { ELSEWHERE } from './git-changes.ts'

/** Returns the commit of a document; undefined if git cannot determine it. Never rejects. */
export type GitVersionOf = (document: Pick<Pipeline, 'file' | 'text'>) => Promise<GitVersion | undefined>

/** The version of any document, by its folder. */
export function gitVersions(env: Readonly<Record<string, string | undefined>>, now: () => number): GitVersionOf {
  const folders = new Map<string, GitVersionOf>()
  return (document) => {
    const folder = dirname(resolve(document.file))
    const known = folders.get(folder) ?? createGitVersions({ folder, env, now })
    folders.set(folder, known)
    return known({ ...document, file: resolve(document.file) })
  }
}

/** What git says about all documents of a folder at one time. */
interface FolderStatus {
  readonly commit: string
  /** Absolute paths of the documents that differ from the commit, are not in it, or are ignored. */
  readonly differing: ReadonlySet<string>
}

/** Git is asked again after this time, even if its files look unchanged. */
const MAX_AGE_MS = 60_000
const TIMEOUT_MS = 5000
/** The file system's clock ticks coarsely: a file's date may be this much earlier than its write. */
const FILE_TICK_MS = 50

/**
 * The versions of the documents under a folder, by the program `git`: asked once for all of them, and again when the
 * repository or a document has changed. `now` is the clock that dates files, in milliseconds since 1970.
 */
export function createGitVersions(options: {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => number
}): GitVersionOf {
  const { folder, env, now } = options
  let known: { readonly mark: string; readonly askedAt: number; readonly status: Promise<FolderStatus | undefined> } = {
    mark: '',
    askedAt: Number.NEGATIVE_INFINITY,
    status: Promise.resolve(undefined),
  }

  async function statusFor(file: string): Promise<FolderStatus | undefined> {
    const repository = await findRepository(folder)
    if (!repository) return undefined
    const mark = await fingerprintOf(repository.gitFolder)
    const { ctimeMs } = await stat(file)
    const isFresh = mark === known.mark && now() - known.askedAt < MAX_AGE_MS && ctimeMs + FILE_TICK_MS < known.askedAt
    if (!isFresh) known = { mark, askedAt: now(), status: askGit(folder, repository.root, env) }
    return known.status
  }

  return async ({ file, text }) => {
    try {
      const path = await realpath(file)
      const status = await statusFor(path)
      if (!status || !isBelow(await realpath(folder), path)) return undefined
      // The run's version may differ from the version now in the file.
      const isOther = (await readFile(path, 'utf8')) !== text
      return { commit: status.commit, dirty: isOther || status.differing.has(path) }
    } catch {
      // A problem with the repository or the file must not stop a run: the name of its commit matters less.
      return undefined
    }
  }
}

/** The repository of a folder, found without starting a process. Its git folder may be elsewhere, as in a worktree. */
async function findRepository(folder: string): Promise<{ root: string; gitFolder: string } | undefined> {
  for (let root = await realpath(folder); ; root = dirname(root)) {
    const entry = join(root, '.git')
    const found = await lstat(entry).catch(() => undefined)
    if (found?.isFile()) {
      const [, path] = /^gitdir: (.+)/.exec(await readFile(entry, 'utf8')) ?? []
      if (path !== undefined) return { root, gitFolder: resolve(root, path) }
    } else if (found) return { root, gitFolder: entry }
    if (dirname(root) === root) return undefined
  }
}

/** Changes with every commit, checkout, reset and add. */
async function fingerprintOf(gitFolder: string): Promise<string> {
  const files = ['HEAD', 'logs/HEAD', 'index'].map((name) => stat(join(gitFolder, name)).catch(() => undefined))
  const stats = await Promise.all(files)
  return [gitFolder, ...stats.map((file) => (file ? `${file.ino} ${file.size} ${file.mtimeMs}` : ''))].join('\n')
}

const STATUS = ['status', '--porcelain=v2', '-z', '--branch', '--no-renames', '--untracked-files=all', '--ignored']
const DOCUMENTS = ['--', ':(glob)**/*.yaml', ':(glob)**/*.yml']

async function askGit(
  folder: string,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FolderStatus | undefined> {
  const here = Object.fromEntries(Object.entries(env).filter(([name]) => !ELSEWHERE.includes(name)))
  const output = await new Promise<string | undefined>((tell) => {
    execFile(
      'git',
      ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', folder, ...STATUS, ...DOCUMENTS],
      { env: { ...here, LC_ALL: 'C' }, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 16_000_000 },
      (error, stdout) => tell(error ? undefined : stdout),
    )
  })
  return output === undefined ? undefined : readStatus(output, root)
}

/** The output of `git status --porcelain=v2 -z --branch`. */
function readStatus(output: string, root: string): FolderStatus | undefined {
  const entries = output.split('\0')
  const commit = entries.find((entry) => entry.startsWith('# branch.oid '))?.slice('# branch.oid '.length)
  // A repository without a commit says `(initial)`.
  if (commit === undefined || !/^[0-9a-f]+$/.test(commit)) return undefined
  const paths = entries.flatMap((entry) => {
    const fields = FIELDS_BEFORE_PATH[entry.charAt(0)]
    return fields === undefined ? [] : [join(root, entry.split(' ').slice(fields).join(' '))]
  })
  return { commit, differing: new Set(paths) }
}

/** Changed, unmerged, not tracked, ignored. */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { 1: 8, u: 10, '?': 1, '!': 1 }

function isBelow(folder: string, file: string): boolean {
  const path = relative(folder, file)
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}
