import type { RunHistory } from '../../state/run-history.ts'

/** If there are more, only the runs that were looked at last are followed. */
const MOST_RUNS = 50
/** Before the first record. */
const NOTHING = -1

/** The runs that people look at. Another process may work on them, so only their records tell that a step has moved. */
export function runsInSight(runs: Pick<RunHistory, 'records'>) {
  /** The newest record of each that is known here. */
  const lastOf = new Map<string, number>()

  /** A run that has ended already does not move; nor does an unknown one. Both are forgotten. */
  async function hasMoved(runId: string, last: number): Promise<boolean> {
    const newest = (await runs.records(runId, last)).at(-1)
    const hasEnded = newest?.record.type === 'run.finished'
    if (hasEnded || (last === NOTHING && !newest)) lastOf.delete(runId)
    else if (newest && lastOf.has(runId)) lastOf.set(runId, newest.seq)
    return newest !== undefined && !(hasEnded && last === NOTHING)
  }

  return {
    /** Follows a run until it ends. */
    add(runId: string): void {
      const last = lastOf.get(runId) ?? NOTHING
      lastOf.delete(runId)
      lastOf.set(runId, last)
      const [oldest] = lastOf.keys()
      if (lastOf.size > MOST_RUNS && oldest !== undefined) lastOf.delete(oldest)
    },
    /** Those that have new records since the last call; a run that was added since, too. */
    async moved(): Promise<string[]> {
      const looks = [...lastOf].map(async ([runId, last]) => ((await hasMoved(runId, last)) ? [runId] : []))
      return (await Promise.all(looks)).flat()
    },
  }
}
