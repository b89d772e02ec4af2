import type { RunHistory, RunRow } from '../state/run-history.ts'

/** At most this many consecutive runs at other services are searched. */
const LOOK = 20

/** For a run, the latest successful run of its pipeline, at the same service, that was submitted before it. */
export async function lastGoodBefore(
  { pipeline, profile, service, submittedAt, runId }: RunRow,
  runs: Pick<RunHistory, 'page'>,
): Promise<RunRow | undefined> {
  const { rows } = await runs.page({ pipeline, status: ['succeeded'], after: { submittedAt, runId }, limit: LOOK })
  return rows.find((row) => row.profile === profile && row.service === service)
}
