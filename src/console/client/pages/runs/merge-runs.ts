import type { RunItem } from '../../api/types.ts'

export interface Merged {
  /** The rows that are shown, up to date. */
  readonly runs: readonly RunItem[]
  /** Runs that belong above these rows, newest first. */
  readonly newer: readonly RunItem[]
  /**
   * Runs that were submitted before this time are not in the list yet. Missing if the list is complete or has not been
   * read yet.
   */
  readonly lookedBackTo?: string | undefined
}

/** Adds the page that follows the list. If two runs have the same time, one may be in the list already. */
export function addOlder(merged: Merged, older: readonly RunItem[]): Merged {
  const known = new Set([...merged.runs, ...merged.newer].map(({ runId }) => runId))
  return { ...merged, runs: [...merged.runs, ...older.filter(({ runId }) => !known.has(runId))] }
}

/**
 * Puts changed runs into a list without moving a row. Runs that are in the list change in place, even if they no longer
 * fit the filter. All others wait above the list.
 */
export function mergeRuns(
  { runs, newer, lookedBackTo }: Merged,
  changed: readonly RunItem[],
  fits: (run: RunItem) => boolean,
): Merged {
  const byId = new Map(changed.map((run) => [run.runId, run]))
  const shown = new Set(runs.map(({ runId }) => runId))
  const oldest = runs.at(-1)?.submittedAt ?? lookedBackTo
  const waiting = new Map(newer.map((run) => [run.runId, run]))
  for (const run of changed) {
    if (shown.has(run.runId)) continue
    const isAbove = oldest === undefined || run.submittedAt >= oldest
    if (fits(run) && isAbove) waiting.set(run.runId, run)
    else waiting.delete(run.runId)
  }
  return {
    runs: runs.map((run) => byId.get(run.runId) ?? run),
    newer: [...waiting.values()].toSorted(newestFirst),
  }
}

/** Whether it is certain that no run is missing between the rows of a list and a page of the newest runs. */
export function joins({ runs }: Merged, page: { runs: readonly RunItem[]; next?: string }): boolean {
  const known = new Set(runs.map(({ runId }) => runId))
  return page.next === undefined || page.runs.some(({ runId }) => known.has(runId))
}

/** Moves the waiting runs into the list. */
export function showNewer({ runs, newer }: Merged): Merged {
  return newer.length === 0 ? { runs, newer } : { runs: [...newer, ...runs].toSorted(newestFirst), newer: [] }
}

function newestFirst(a: RunItem, b: RunItem): number {
  return a.submittedAt === b.submittedAt ? (a.runId < b.runId ? 1 : -1) : a.submittedAt < b.submittedAt ? 1 : -1
}
