import { existsSync } from 'node:fs'
import { AudienceError } from '../../core/errors.ts'
import type { CommitFacts, GitStore } from '../../platform/git/git-store.ts'
import type { DeployProblem } from '../../state/deployments.ts'
import { isLfsPointer, judgeTree } from './judge-tree.ts'
import { type Release, type ReleaseRules, readRelease } from './read-release.ts'
import { releaseFolder, removeFolder, writeRelease } from './release-folder.ts'

export interface ValidCommit {
  readonly facts: CommitFacts
  readonly release: Release
  readonly place: () => void
}

export interface RefusedCommit {
  readonly facts: CommitFacts | undefined
  readonly problems: readonly DeployProblem[]
  /** Why the commit is refused as a whole. */
  readonly error: AudienceError | undefined
}

export interface PrepareCommitDeps {
  store: GitStore
  /** The folder of the releases. */
  releases: string
  rules: ReleaseRules
  signedBy: string | undefined
  signal: AbortSignal
}

/**
 * Fetches a commit, writes it to a temporary folder and reads all its documents. A problem with the commit is part of
 * the answer. If the commit cannot be reached, for example because a server is unavailable, the call rejects.
 */
export async function prepareCommit(
  commit: string,
  before: Release | undefined,
  deps: PrepareCommitDeps,
): Promise<ValidCommit | RefusedCommit> {
  const { store, releases, rules, signedBy, signal } = deps
  let facts: CommitFacts | undefined
  try {
    await store.fetch(commit, signal)
    facts = await store.facts(commit, signal)
    if (signedBy !== undefined) await store.requireSigned(commit, signedBy, signal)
    const { files, problems } = judgeTree(await store.tree(commit, rules.path, signal))
    if (problems.length > 0)
      return { facts, problems: problems.map((one) => inRepository(one, rules.path)), error: undefined }
    const pointers: DeployProblem[] = []
    const { aside, place } = await writeRelease({
      releases,
      commit,
      path: rules.path,
      facts,
      files,
      before,
      read: async (ids, onBlob) => {
        if (ids.length > 0) await store.blobs(ids, onBlob, signal)
      },
      onBlob: (path, bytes) => {
        if (isLfsPointer(bytes)) pointers.push(inRepository(lfsProblem(path), rules.path))
      },
    })
    const its = new Map(files.map(({ path, id }) => [path, id]))
    const folder = releaseFolder(releases, commit)
    const read = await readRelease({ commit, folder, at: aside, files: its, before }, rules)
    if (pointers.length === 0 && 'release' in read) return { facts, release: read.release, place }
    if (!existsSync(aside)) throw new Error(`${aside} is gone: another process is the keeper now`)
    removeFolder(aside)
    return { facts, problems: [...pointers, ...('problems' in read ? read.problems : [])], error: undefined }
  } catch (error) {
    // The commit is at fault, not the connection to it.
    if (isErrorOf(error, 'deploy-')) return { facts, problems: [], error }
    throw error
  }
}

function lfsProblem(file: string): DeployProblem {
  return {
    file,
    code: 'deploy-unsafe',
    message: 'it is a Git LFS pointer; its content is elsewhere',
    hint: 'commit the file itself, or keep it in a bucket',
  }
}

function inRepository(problem: DeployProblem, path: string): DeployProblem {
  return path === '' ? problem : { ...problem, file: `${path}/${problem.file}` }
}

/** Whether something is one of our errors, with a code that begins with a prefix. */
export function isErrorOf(error: unknown, prefix: string): error is AudienceError {
  return error instanceof AudienceError && error.code.startsWith(prefix)
}
