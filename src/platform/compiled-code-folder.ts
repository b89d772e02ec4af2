import { existsSync, realpathSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { makeFolder } from './make-folder.ts'

type Facts = Pick<Stats, 'uid' | 'mode'>

const ROOT = 0
const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const STICKY = 0o1000

/**
 * This user's folder for compiled code. Such code runs as it is: nobody compares it with its source. By default, Node
 * uses a subfolder of the shared folder for temporary files, and another user may have created that subfolder first.
 * Undefined if somebody else could write to this folder, or if it cannot be made; in that case, nothing is kept.
 */
export function compiledCodeFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    const { XDG_CACHE_HOME: given = '' } = env
    const caches = isAbsolute(given) ? given : join(homedir(), '.cache')
    // A user without a home folder gets no folder for compiled code.
    if (!existsSync(dirname(caches))) return undefined
    const folder = join(caches, 'audience-pipelines')
    makeFolder(folder)
    // Uses exactly the checked path, so no link can be changed in between.
    const real = realpathSync(folder)
    const user = process.geteuid?.()
    return user === undefined ||
      isOwnFolder(
        withFoldersAbove(real).map((path) => statSync(path)),
        user,
      )
      ? real
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether only this user and root can write to a folder, or replace it; `way` is that folder and those above it. Nobody
 * else may enter it, so only these two can have written what is in it. In a folder with the sticky bit, only its owner
 * and the owner of an entry can move the entry.
 */
export function isOwnFolder([own, ...above]: readonly Facts[], user: number): boolean {
  const isTrusted = ({ uid }: Facts) => uid === user || uid === ROOT
  const isClosed = ({ mode }: Facts) => (mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0
  return own?.uid === user && (own.mode & OTHERS) === 0 && above.every((one) => isTrusted(one) && isClosed(one))
}

function withFoldersAbove(path: string): string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...withFoldersAbove(above)]
}
