import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SteadyClock } from '../../core/clock.ts'
import { codeOf } from '../../core/code-of.ts'
import { tried } from '../../core/tried.ts'
import { makeFolder } from '../make-folder.ts'
import {
  commitTooLarge,
  gitError,
  noFolder,
  noGit,
  noRefs,
  refGone,
  storeTrouble,
  tooDeep,
  tooMany,
  unsigned,
} from './git-errors.ts'
import { type GitAccess, remoteEnv } from './remote-env.ts'
import { type GitCall, type GitEnd, runGit } from './run-git.ts'
import { createTreeReader, type TreeEntry } from './tree.ts'

/** The data in a commit. Other people wrote it, so nothing in it is trusted. */
export interface CommitFacts {
  readonly subject: string
  readonly author: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** A remote repository, and our bare store of everything fetched from it. */
export interface GitStore {
  /** The commit at the ref now. */
  look(signal: AbortSignal): Promise<string>
  /** Fetches one commit, without its history. */
  fetch(commit: string, signal: AbortSignal): Promise<void>
  facts(commit: string, signal: AbortSignal): Promise<CommitFacts>
  /** Everything in a folder of the commit, of any kind; the empty path means the whole commit. */
  tree(commit: string, path: string, signal: AbortSignal): Promise<readonly TreeEntry[]>
  /** The exact bytes of blobs, in this order. */
  blobs(ids: readonly string[], onBlob: (index: number, bytes: Buffer) => void, signal: AbortSignal): Promise<void>
  /** Throws `deploy-unsigned` unless one of the signers signed the commit with ssh. */
  requireSigned(commit: string, allowedSigners: string, signal: AbortSignal): Promise<void>
  /** Removes the store: the next fetch makes another one. */
  forget(): void
}

export interface GitStoreDeps {
  access: GitAccess
  /** A branch, a tag, or a commit. */
  ref: string
  /** The folder of the store. Whatever is there is removed. */
  folder: string
  env: Readonly<Record<string, string | undefined>>
  clock: SteadyClock
  /** Removes secrets from text. */
  redact: (text: string) => string
  maxBytes?: number
  timeoutMs?: number
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
/** The time limit of each call: a server that never answers must not make git hang forever. */
const TIMEOUT_MS = 60_000
/** The maximum size of one fetch, in bytes. */
const MAX_BYTES = 200_000_000
const SIZE_EVERY_MS = 500
/** A longer list of refs is cut off here. */
const MOST_REF_BYTES = 16_000_000
/** The store is recreated after this many fetches, which keeps it small. */
const MOST_FETCHES = 50
/** The maximum length of a line about a blob in the output of git. */
const MOST_LINE_BYTES = 1000

/** Opens a remote repository without contacting it. Make only one call at a time. */
export function openGitStore(deps: GitStoreDeps): GitStore {
  const { access, ref, folder, env, clock, redact, maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = deps
  const { url } = access
  let fetches = 0
  rmSync(folder, { recursive: true, force: true })

  async function git(args: readonly string[], call: Partial<GitCall> & { signal: AbortSignal }) {
    try {
      return await runGit({ args, env: await remoteEnv(access, env), clock, timeoutMs, ...call })
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw noGit()
      throw error
    }
  }
  const inStore = (args: readonly string[], call: Partial<GitCall> & { signal: AbortSignal }) =>
    git([`--git-dir=${folder}`, ...args], call)

  /** The whole output of a call, as text. */
  async function textOf(ask: (onOutput: GitCall['onOutput']) => Promise<GitEnd>, most: number) {
    const pieces: Buffer[] = []
    let size = 0
    const end = await ask((piece) => {
      pieces.push(piece)
      size += piece.length
      return size > most
    })
    return { end, text: Buffer.concat(pieces).toString('utf8') }
  }

  async function refs(patterns: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const args = ['ls-remote', '--quiet', '--', url, ...patterns]
    const { end, text } = await textOf((onOutput) => git(args, { signal, onOutput }), MOST_REF_BYTES)
    if (end.code !== 0) throw gitError(end, url, redact)
    const lines = text.split('\n').flatMap((line): [string, string][] => {
      const [, commit, name] = /^([0-9a-f]{40,64})\t(\S+)$/.exec(line) ?? []
      return commit && name ? [[name, commit]] : []
    })
    return new Map(lines)
  }

  async function look(signal: AbortSignal): Promise<string> {
    if (COMMIT.test(ref)) return ref
    const wanted = [`refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`]
    const found = await refs(wanted, signal)
    for (const name of wanted) {
      const commit = found.get(name)
      if (commit !== undefined) return commit
    }
    // A login page also produces no lines. This ref is gone only if other refs are listed.
    const others = await refs([], signal)
    throw others.size > 0 ? refGone(ref, url) : noRefs(url)
  }

  async function fetch(commit: string, signal: AbortSignal): Promise<void> {
    if (++fetches > MOST_FETCHES) forget()
    if (!existsSync(folder)) {
      makeFolder(folder)
      const made = await git(['init', '--quiet', '--bare', '--template=', folder], { signal })
      if (made.code !== 0) throw storeTrouble(made, redact)
    }
    const over = new AbortController()
    const watched = AbortSignal.any([signal, over.signal])
    const options = ['--depth=1', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--quiet', '--force']
    const fetched = inStore(['fetch', ...options, '--', url, `${commit}:refs/audience/deploy`], { signal: watched })
    const ended = new AbortController()
    const watching = watchSize(over, ended.signal)
    try {
      const end = await fetched
      if (end.code !== 0) throw gitError(end, url, redact)
      if (isTooLarge()) throw commitTooLarge(maxBytes)
    } catch (error) {
      // Whatever a killed git leaves behind, such as locks, is removed with the store.
      forget()
      throw over.signal.aborted ? commitTooLarge(maxBytes) : error
    } finally {
      ended.abort()
      await watching
    }
  }

  const isTooLarge = () => folderSize(join(folder, 'objects')) > maxBytes

  async function watchSize(over: AbortController, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      if (isTooLarge()) return over.abort()
      await clock.sleep(SIZE_EVERY_MS, ended).catch(() => undefined)
    }
  }

  function forget(): void {
    fetches = 0
    rmSync(folder, { recursive: true, force: true })
  }

  return {
    look,
    fetch,
    forget,
    async facts(commit, signal) {
      const args = ['log', '-1', '--no-show-signature', '--format=%ct%n%an%n%s', '--end-of-options', commit]
      const { end, text } = await textOf((onOutput) => inStore(args, { signal, onOutput }), 1_000_000)
      if (end.code !== 0) throw storeTrouble(end, redact)
      const [at = '', author = '', subject = ''] = text.split('\n')
      // The author and the subject are also kept with the release.
      return { at: Number(at) * 1000, author: redact(author).slice(0, 200), subject: redact(subject).slice(0, 200) }
    },
    async tree(commit, path, signal) {
      const reader = createTreeReader()
      const treeish = path === '' ? commit : `${commit}:${path}`
      const args = ['ls-tree', '-r', '-z', '-l', '--full-tree', '--end-of-options', treeish]
      const end = await inStore(args, { signal, onOutput: reader.add })
      if (end.cut === 'tooMuch') throw tooMany()
      // Git either reports that its own limit is exceeded, or follows nested folders until its stack is exhausted.
      if ((end.code === null && end.cut === undefined) || /tree depth/.test(end.said)) throw tooDeep()
      if (end.code !== 0 && /not a tree|Not a valid object name|exists/i.test(end.said)) throw noFolder(path)
      if (end.code !== 0) throw storeTrouble(end, redact)
      return reader.entries()
    },
    async blobs(ids, onBlob, signal) {
      const reader = createBlobReader(ids, onBlob)
      const end = await inStore(['cat-file', '--batch'], {
        signal,
        input: ids.map((id) => `${id}\n`).join(''),
        onOutput: reader.add,
      })
      if (end.code !== 0 || !reader.isDone()) throw storeTrouble(end, redact)
    },
    async requireSigned(commit, allowedSigners, signal) {
      const settings = ['gpg.format=ssh', `gpg.ssh.allowedSignersFile=${allowedSigners}`, 'gpg.program=false']
      const args = [...settings.flatMap((setting) => ['-c', setting]), 'verify-commit', commit]
      const end = await inStore(args, { signal })
      if (end.code !== 0) throw unsigned(commit)
    },
  }
}

/** The bytes of the files below a folder; files that disappear in the meantime do not count. */
function folderSize(folder: string): number {
  const names = tried(() => readdirSync(folder, { recursive: true, encoding: 'utf8' })) ?? []
  return names.reduce((sum, name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    return sum + (stats?.isFile() ? stats.size : 0)
  }, 0)
}

/** Reads the output of `git cat-file --batch`: a line about a blob, and its bytes. */
function createBlobReader(ids: readonly string[], onBlob: (index: number, bytes: Buffer) => void) {
  let pieces: Buffer[] = []
  let length = 0
  let index = 0
  /** The size of the blob whose line was read. */
  let size: number | undefined
  const take = (bytes: number) => {
    const all = Buffer.concat(pieces)
    pieces = [all.subarray(bytes)]
    length -= bytes
    return all.subarray(0, bytes)
  }
  return {
    isDone: () => index === ids.length,
    /** Returns true if this is not what was requested. */
    add(piece: Buffer): boolean {
      pieces.push(piece)
      length += piece.length
      for (;;) {
        if (size === undefined) {
          const end = Buffer.concat(pieces).indexOf('\n')
          if (end < 0) return length > MOST_LINE_BYTES
          const [id, type, bytes] = take(end + 1)
            .toString('latin1')
            .trim()
            .split(' ')
          if (id !== ids[index] || type !== 'blob') return true
          size = Number(bytes)
        }
        if (length < size + 1) return false
        onBlob(index++, take(size + 1).subarray(0, size))
        size = undefined
      }
    },
  }
}
