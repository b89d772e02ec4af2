import type { RunHistory, RunRow } from '../state/run-history.ts'

/** Nobody would read more runs below one run. */
const MOST = 20

/**
 * The runs below a run that are waiting for a person, newest first. Runs below it are those that it started, and those
 * that these started.
 */
export async function waitingRunsBelow(parent: string, runs: Pick<RunHistory, 'page'>): Promise<readonly RunRow[]> {
  const { rows } = await runs.page({ parent, status: ['waiting', 'running'], limit: MOST })
  const found = await Promise.all(
    rows.map(async (row) => [...(row.status === 'waiting' ? [row] : []), ...(await waitingRunsBelow(row.runId, runs))]),
  )
  return found.flat()
}
