import type { RunHistory, RunRow } from '../state/run-history.ts'

/** No list in a test has more runs than this. */
export const MOST_RUNS = 1_000

/** Whether a test counts a run. A run that another run started is a part of that run. */
export function isOwnRun({ triggerKind }: RunRow): boolean {
  return triggerKind !== 'run'
}

/** The newest run that a test counts. */
export async function newestRun(runs: Pick<RunHistory, 'page'>): Promise<RunRow | undefined> {
  return (await runs.page({ limit: MOST_RUNS })).rows.find(isOwnRun)
}
