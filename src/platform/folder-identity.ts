import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import type { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { MOST_LINKS } from './real-path.ts'

/**
 * What a folder is, whichever links, mounts or spellings lead to it: its real path, and its number in the file system. One that
 * does not exist has those of its parent, with its name; so has one that cannot be looked at.
 */
export type FolderIdentity = readonly string[]

/** Two places of one folder: a mount gives it two real paths, and one that is just being made has no number. */
export function isSameFolder(one: FolderIdentity, other: FolderIdentity): boolean {
  return one.some((name) => other.includes(name))
}

export function folderIdentity(path: string, links = MOST_LINKS): FolderIdentity {
  const target = attempt(() => [realpathSync(path), numberOf(statSync(path))])
  if (target) return target
  const linked = links > 0 ? attempt(() => readlinkSync(path)) : undefined
  if (linked !== undefined) return folderIdentity(resolve(dirname(path), linked), links - 1)
  return path === dirname(path) ? [path] : below(folderIdentity(dirname(path), links), path)
}

/** The same without blocking, by the calls of a disk. */
export async function folderIdentityOn(
  disk: { readonly stat: typeof stat; readonly realpath: typeof realpath; readonly readlink: typeof readlink },
  path: string,
  links = MOST_LINKS,
): Promise<FolderIdentity> {
  const found = await Promise.all([disk.realpath(path), disk.stat(path)]).catch(() => undefined)
  if (found) return [found[0], numberOf(found[1])]
  const linked = links > 0 ? await disk.readlink(path).catch(() => undefined) : undefined
  if (linked !== undefined) return folderIdentityOn(disk, resolve(dirname(path), linked), links - 1)
  return path === dirname(path) ? [path] : below(await folderIdentityOn(disk, dirname(path), links), path)
}

/** The number of a folder that exists. */
export function numberOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev} ${ino}`
}

function below(parent: FolderIdentity, path: string): FolderIdentity {
  return parent.map((name) => join(name, basename(path)))
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
