import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import type { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { tried } from '../core/tried.ts'

/** The maximum number of links in a row that a system follows. */
export const MOST_LINKS = 40

/**
 * A search that asks a file system, and continues with the answer. The answer is undefined if the file system refuses.
 */
type Walk<T> = Generator<
  { readonly call: 'realpath' | 'readlink' | 'number'; readonly path: string },
  T,
  string | undefined
>

/**
 * The real path. For a path that does not exist or cannot be examined, returns where it would be. A link that leads to
 * nothing is followed like any other link: otherwise, the answer would reveal whether the link leads to something.
 * Circular links stay as they are.
 */
export function realPath(path: string): string {
  return walk(walkTo(path))
}

function* walkTo(path: string, links = MOST_LINKS): Walk<string> {
  const found = yield { call: 'realpath', path }
  const folder = dirname(path)
  if (found !== undefined || links === 0 || folder === path) return found ?? path
  const target = yield { call: 'readlink', path }
  const above = yield* walkTo(folder, links - 1)
  return target === undefined ? join(above, basename(path)) : yield* walkTo(resolve(above, target), links - 1)
}

/**
 * The identity of a folder, whichever links, mounts or spellings lead to it: its real path, and its number in the file
 * system. A folder that does not exist, or cannot be examined, has the identity of its parent, followed by its own
 * name.
 */
export type FolderIdentity = readonly string[]

/**
 * Whether two identities belong to the same folder. One common part is enough: a mount gives a folder two real paths,
 * and a folder that is just being made has no number.
 */
export function isSameFolder(one: FolderIdentity, other: FolderIdentity): boolean {
  return one.some((name) => other.includes(name))
}

export function folderIdentity(path: string): FolderIdentity {
  return walk(identify(path))
}

/** Finds the identity of a folder without blocking, through the calls of a disk. */
export async function folderIdentityOn(
  disk: { stat: typeof stat; realpath: typeof realpath; readlink: typeof readlink },
  path: string,
): Promise<FolderIdentity> {
  const calls = { ...disk, number: async (path: string) => folderNumber(await disk.stat(path)) }
  const steps = identify(path)
  let step = steps.next()
  while (!step.done) {
    const { call, path } = step.value
    step = steps.next(await calls[call](path).catch(() => undefined))
  }
  return step.value
}

function* identify(path: string): Walk<FolderIdentity> {
  const real = yield* walkTo(path)
  return [real, yield* numberAt(real)]
}

function* numberAt(path: string): Walk<string> {
  const number = yield { call: 'number', path }
  const folder = dirname(path)
  if (number !== undefined || folder === path) return number ?? path
  return join(yield* numberAt(folder), basename(path))
}

/** The number of a folder that exists. */
export function folderNumber({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev} ${ino}`
}

function walk<T>(steps: Walk<T>): T {
  let step = steps.next()
  while (!step.done) {
    const { call, path } = step.value
    step = steps.next(tried(() => CALLS[call](path)))
  }
  return step.value
}

const CALLS = {
  realpath: realpathSync,
  readlink: readlinkSync,
  number: (path: string) => folderNumber(statSync(path)),
} as const
