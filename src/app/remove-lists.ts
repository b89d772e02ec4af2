import type { Engine } from '../core/engine.ts'
import type { Lists } from '../lists/lists.ts'
import type { RunHistory } from '../state/run-history.ts'

/**
 * Removes the lists of runs: now those of ended runs that a killed process left, and later each list when its run ends.
 * `close` waits for the removals that have begun.
 */
export async function removeLists(
  lists: Pick<Lists, 'runs' | 'remove'>,
  { engine, runs }: { readonly engine: Pick<Engine, 'watch'>; readonly runs: Pick<RunHistory, 'find'> },
): Promise<{ close(): Promise<void> }> {
  for (const runId of await lists.runs()) {
    // A run is recorded before it makes a list.
    const row = await runs.find(runId)
    if (!row || row.finishedAt !== undefined) await lists.remove(runId)
  }
  const removals = new Set<Promise<void>>()
  const unwatch = engine.watch((event) => {
    if (event.event !== 'run.finished') return
    // A list that cannot be removed now is removed at the next start.
    const removal = lists.remove(event.runId).catch(() => undefined)
    removals.add(removal)
    void removal.then(() => removals.delete(removal))
  })
  return {
    async close() {
      unwatch()
      await Promise.all(removals)
    },
  }
}
