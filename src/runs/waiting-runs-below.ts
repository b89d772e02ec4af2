import type { RunHistory, RunRow } from '../state/run-history.ts'

/** As many runs of one run as a person can read about. */
const MOST = 20

/** The runs that wait for a person, of those that a run has started, and that these have started; newest first. */
export async function waitingRunsBelow(parent: string, runs: Pick<RunHistory, 'page'>): Promise<readonly RunRow[]> {
  const { rows } = await runs.page({ parent, status: ['waiting', 'running'], limit: MOST })
  const found = await Promise.all(
    rows.map(async (row) => [...(row.status === 'waiting' ? [row] : []), ...(await waitingRunsBelow(row.runId, runs))]),
  )
  return found.flat()
}
