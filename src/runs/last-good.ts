import type { RunHistory, RunRow } from '../state/run-history.ts'

/** At most this many runs in a row at other services are looked through. */
const LOOK = 20

/** The newest run of the pipeline of a run, at its service, that succeeded and was submitted before it. */
export async function lastGoodBefore(
  { pipeline, profile, service, submittedAt, runId }: RunRow,
  runs: Pick<RunHistory, 'page'>,
): Promise<RunRow | undefined> {
  const { rows } = await runs.page({ pipeline, status: ['succeeded'], after: { submittedAt, runId }, limit: LOOK })
  return rows.find((row) => row.profile === profile && row.service === service)
}
