import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UNFINISHED_STATUSES } from '../core/format/statuses.ts'
import { namesIn } from '../platform/names-in.ts'
import type { RunHistory } from '../state/run-history.ts'

/**
 * Removes the uploads that are older than `before` (milliseconds since 1970) and returns how many. It removes none
 * while a run from before that time has not ended, because its inputs may name one.
 */
export async function removeUploads(
  folder: string,
  { before, runs }: { readonly before: number; readonly runs: Pick<RunHistory, 'page'> },
): Promise<number> {
  const names = namesIn(folder)
  if (names.length === 0) return 0
  const old = await runs.page({ status: UNFINISHED_STATUSES, to: before, limit: 1 })
  if (old.rows.length > 0) return 0
  let removed = 0
  for (const name of names) {
    const path = join(folder, name)
    if ((await stat(path)).mtimeMs >= before) continue
    await rm(path, { recursive: true, force: true })
    removed += 1
  }
  return removed
}
