import type { FolderState } from './start-watcher.ts'

/**
 * A sentence that says why files cannot be taken or moved, for the first folder with a problem; undefined if there is
 * none.
 */
export function folderTrouble(folders: readonly FolderState[]): string | undefined {
  const [first, ...others] = folders.filter(({ problem, stuck }) => problem !== undefined || stuck > 0)
  if (!first) return undefined
  const { path, problem, stuck, whyStuck } = first
  const why = whyStuck === undefined ? '' : `: ${whyStuck}`
  const what = problem ?? `${stuck} ${stuck === 1 ? 'file' : 'files'} cannot be moved to done or failed${why}`
  return `${path}: ${what}${others.length > 0 ? ` (and ${others.length} more)` : ''}`
}
