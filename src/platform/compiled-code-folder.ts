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
 * The folder of this user for compiled code, which runs as it is: nobody compares it with its source. By default Node
 * uses a folder of the shared one for temporary files, where another user may have been first. Undefined if somebody
 * else could write it, or if it cannot be made; then nothing is kept.
 */
export function compiledCodeFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    const { XDG_CACHE_HOME: given = '' } = env
    const caches = isAbsolute(given) ? given : join(homedir(), '.cache')
    // A user without a home gets none.
    if (!existsSync(dirname(caches))) return undefined
    const folder = join(caches, 'audience-pipelines')
    makeFolder(folder)
    // Uses exactly the checked path, so no link can be changed in between.
    const real = realpathSync(folder)
    const user = process.geteuid?.()
    return user === undefined ||
      isOwn(
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
 * Whether only this user and root can write a folder, or put another one into its place; `way` is that folder and those
 * above it. Nobody else may enter it, so what lies in it was written by these two. In a folder with the sticky bit, only
 * its owner and that of an entry can move the entry.
 */
export function isOwn([own, ...above]: readonly Facts[], user: number): boolean {
  const isTrusted = ({ uid }: Facts) => uid === user || uid === ROOT
  const isClosed = ({ mode }: Facts) => (mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0
  return own?.uid === user && (own.mode & OTHERS) === 0 && above.every((one) => isTrusted(one) && isClosed(one))
}

function withFoldersAbove(path: string): string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...withFoldersAbove(above)]
}
