import { basename, dirname } from 'node:path'
import type { TriggerRef } from '../core/occurrence.ts'
import { namesIn } from '../platform/names-in.ts'
import type { ReadableState } from '../state/state.ts'
import type { FolderStatus } from './status-report.ts'

const MOST_SEARCHED = 1000
const MOST_LISTED = 20

/** The files that a watcher has found and cannot take, if they still exist, newest first. */
export async function ignoredFiles(
  occurrences: ReadableState['occurrences'],
  ref: TriggerRef,
): Promise<FolderStatus['ignored']> {
  const names = new Map<string, ReadonlySet<string>>()
  const isThere = (file: string) => {
    const folder = dirname(file)
    const known = names.get(folder) ?? new Set(namesIn(folder))
    names.set(folder, known)
    // This uses the listing, because a name that is not UTF-8 is listed, but cannot be looked up.
    return known.has(basename(file))
  }
  const failed = await occurrences.list({ ...ref, state: ['failed'], limit: MOST_SEARCHED })
  return failed
    .flatMap(({ detail, reason = '' }) =>
      detail?.ignored === true && typeof detail.file === 'string' && isThere(detail.file)
        ? [{ file: detail.file, reason }]
        : [],
    )
    .slice(0, MOST_LISTED)
}
