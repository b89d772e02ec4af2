import { dirname, join } from 'node:path'
import { codeOf } from '../../core/code-of.ts'
import { MOST_LINKS } from '../../platform/real-path.ts'
import type { Disk } from './disk.ts'
import { lookAt } from './look-at.ts'

type Looks = Pick<Disk, 'lstat' | 'readlink' | 'realpath' | 'stat'>

/**
 * The path of a folder without its links. Throws if one of them belongs to an untrusted user, who could lead the daemon
 * anywhere, even into its own state. Trusted users are this one, root, and the owner of the document.
 */
export async function trustedWay(disk: Looks, path: string, documentFolder?: string): Promise<string> {
  if (process.geteuid === undefined) return path
  if ((await realOf(disk, path)) === path) return path
  let way = '/'
  let links = 0
  const rest = path.split('/')
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = name === '..' ? dirname(way) : join(way, name)
    const stats = await lookAt(disk, next)
    if (!stats) return join(next, ...rest)
    if (!stats.isSymbolicLink()) {
      way = next
      continue
    }
    if (!(await isTrusted(disk, stats.uid, documentFolder)))
      throw new Error(
        `${next} is a link that belongs to another user (${stats.uid}), who could point it anywhere: remove it`,
      )
    links += 1
    if (links > MOST_LINKS) throw new Error(`${path} has too many links`)
    const target = await disk.readlink(next)
    if (target.startsWith('/')) way = '/'
    rest.unshift(...target.split('/'))
  }
  return way
}

async function realOf(disk: Looks, path: string): Promise<string | undefined> {
  try {
    return await disk.realpath(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ELOOP') return undefined
    throw error
  }
}

async function isTrusted(disk: Looks, uid: number, documentFolder: string | undefined): Promise<boolean> {
  if (uid === 0 || uid === process.geteuid?.()) return true
  return documentFolder !== undefined && (await disk.stat(documentFolder)).uid === uid
}
