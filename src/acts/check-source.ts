import { namePattern } from '../core/name-pattern.ts'
import type { TriggerRef } from '../core/occurrence.ts'
import { splitRemotePath } from '../core/remote-path.ts'
import type { RemoteSource } from '../core/remote-source.ts'
import { isLeaving } from '../core/trigger.ts'
import type { SourceWatch } from '../status/source-status.ts'

export interface SourceCheck {
  /** A short description of the source. */
  readonly description: string
  readonly watches: readonly (TriggerRef & {
    readonly path: string
    /** Files that the trigger would take. */
    readonly files: number
    /** Names that match but cannot be used as files. */
    readonly unusable: number
  })[]
  /**
   * Whether triggers move or delete files. A check changes nothing, so only the first move shows whether the account is
   * allowed to do this.
   */
  readonly moves: boolean
}

/**
 * Connects to a source and lists what the triggers watch. Reads no content and changes nothing. Throws the errors that
 * `RemoteSource` describes.
 */
export async function checkSource(
  source: RemoteSource,
  watched: readonly SourceWatch[],
  signal: AbortSignal,
): Promise<SourceCheck> {
  const description = await source.describe(signal)
  const watches: SourceCheck['watches'][number][] = []
  for (const { pipeline, trigger, its } of watched) {
    const { folder, name } = splitRemotePath(its.path)
    const { files, unusable } = await source.list(folder, namePattern(name), { signal })
    watches.push({ pipeline, trigger, path: its.path, files: files.length, unusable })
  }
  return { description, watches, moves: watched.some(({ its }) => [its.done, its.failed].some(isLeaving)) }
}
