import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { sep } from 'node:path'
import { type TriggerRef, triggerRefOf } from '../../core/occurrence.ts'
import { shellWord } from '../../core/shell-word.ts'
import { isShared } from '../../platform/shared-folder.ts'
import { foldersOf, type Watch } from './watch.ts'

/** A watched folder that is not marked as the same on every machine, so no worker on this machine watches it. */
export interface UnsharedFolder extends TriggerRef {
  readonly path: string
  /** This machine. */
  readonly host: string
  readonly message: string
  /** The command that marks it. */
  readonly command: string
}

/**
 * A sentence about all watched folders that are not marked as shared, for `/readyz`; undefined if there are none.
 * Reported even if another worker watches them.
 */
export function whyUnshared(watches: Iterable<Watch>): string | undefined {
  const found = unsharedFolders(watches)
  const [first] = found
  if (!first) return undefined
  const paths = [...new Set(found.map(({ path }) => path))]
  const more = paths.length > 1 ? `; also not watched: ${paths.slice(1).join(', ')}` : ''
  return `${first.path} is ${first.message}${more}: ${shareCommand(paths)}`
}

/** The command that marks folders as seen by every machine. */
function shareCommand(paths: readonly string[]): string {
  return `audience workers share ${paths.map(shellWord).join(' ')}`
}

/**
 * All folders of each watch that are not marked as shared: the folder that it reads, and the folders that it moves
 * files to. A folder below another is left out, because marking the upper one marks both.
 */
export function unsharedFolders(watches: Iterable<Watch>): readonly UnsharedFolder[] {
  const host = hostname()
  return [...watches].flatMap((watch) => {
    const unmarked = [...new Set(foldersOf(watch))].filter((each) => !isShared(each))
    const highest = unmarked.filter((each) => !unmarked.some((other) => each.startsWith(`${other}${sep}`)))
    return highest.map((found) => {
      const why = existsSync(found)
        ? 'neither the folder nor one above it is marked as shared'
        : 'it does not exist there: mount it, or make it, before it is marked as shared'
      return {
        ...triggerRefOf(watch),
        path: found,
        host,
        message: `not watched on ${host}: ${why}`,
        command: shareCommand([found]),
      }
    })
  })
}
