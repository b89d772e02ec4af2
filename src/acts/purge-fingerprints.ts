import { count } from '../core/format/figures.ts'
import type { Actor } from '../core/run.ts'
import { listsOf } from '../membership/kept-lists.ts'
import { removeFingerprints } from '../membership/remove-fingerprints.ts'
import { findRun } from '../runs/recorded-run.ts'
import type { Act } from '../state/audit-log.ts'
import type { ReadableState } from '../state/state.ts'

/** The lists of some runs. Made by `listsToPurge`. */
interface ListsToPurge {
  readonly runIds: readonly string[]
  readonly files: ReadonlySet<string>
}

/** Finds the lists of runs. `folder` has the fingerprints of all lists. Throws `unknown-run`. */
export async function listsToPurge(
  runIds: readonly string[],
  { folder, runs }: { folder: string; runs: ReadableState['runs'] },
): Promise<ListsToPurge> {
  const files = new Set<string>()
  for (const runId of runIds)
    for (const { file } of await listsOf(folder, await findRun(runs, runId), runs)) files.add(file)
  return { runIds, files }
}

/**
 * Removes the fingerprints of all lists, or only of `lists`. With `before` (in milliseconds since 1970), removes only
 * fingerprints that were made before this time. If any were removed, passes the entry for the audit log to `record`.
 * Returns the number of these lists.
 */
export async function purgeFingerprints(
  { lists, before }: { lists?: ListsToPurge | undefined; before?: number | undefined },
  actor: Actor,
  { folder, record }: { folder: string; record: (act: Act) => Promise<void> },
): Promise<number> {
  const removed = await removeFingerprints(
    folder,
    ({ file, at }) => (lists === undefined || lists.files.has(file)) && (before === undefined || at < before),
  )
  if (removed > 0) {
    const act = {
      act: 'privacy.purge',
      subject: lists?.runIds.join(' ') ?? 'lists',
      detail: count(removed, 'list'),
    } as const
    await record({ ...actor, ...act, outcome: 'done' })
  }
  return removed
}
