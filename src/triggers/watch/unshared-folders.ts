import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { TriggerRef } from '../../core/occurrence.ts'
import { shellWord } from '../../core/shell-word.ts'
import { isShared } from '../../platform/shared-folder.ts'
import { refOf, type Watch } from './watch.ts'

/** A folder of a watch that nothing says is the same on every machine, so that no worker on this one watches it. */
export interface UnsharedFolder extends TriggerRef {
  readonly path: string
  /** This machine. */
  readonly host: string
  readonly message: string
  /** Marks it. */
  readonly command: string
}

/** A sentence about the first of them, for `/readyz`; undefined if there are none. Also where another worker watches. */
export function whyUnshared(watches: Iterable<Watch>): string | undefined {
  const [first, ...others] = unsharedFolders(watches)
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return first && `${first.path} is ${first.message}: ${first.command}${more}`
}

/** The first such folder of each watch: of those that it reads and those that it moves files to. */
export function unsharedFolders(watches: Iterable<Watch>): readonly UnsharedFolder[] {
  const host = hostname()
  return [...watches].flatMap((watch) => {
    const { path, done, failed } = watch.trigger
    const found = [path, done, failed].map((each) => resolve(watch.folder, each)).find((each) => !isShared(each))
    if (found === undefined) return []
    const why = existsSync(found)
      ? 'neither the folder nor one above it is marked as shared'
      : 'it does not exist there: mount it, or make it, before it is marked as shared'
    const message = `not watched on ${host}: ${why}`
    return [{ ...refOf(watch), path: found, host, message, command: `audience workers share ${shellWord(found)}` }]
  })
}
