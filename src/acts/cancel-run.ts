import { usageError } from '../core/errors.ts'
import { describeRun, type RunDescription } from '../runs/describe-run.ts'
import { findRun } from '../runs/recorded-run.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'

/**
 * A run that can be cancelled, with the jobs that continue at the service without the run. Throws `unknown-run` or
 * `run-ended`.
 */
export async function runToCancel(
  runId: string,
  { runs }: { readonly runs: Pick<RunHistory, 'find' | 'records'> },
): Promise<{ readonly row: RunRow; readonly jobs: readonly string[] }> {
  const row = await findRun(runs, runId)
  if (row.finishedAt === undefined) return { row, jobs: jobsUnderWay(describeRun(row, await runs.records(runId))) }
  throw usageError('run-ended', `run ${runId} has ended: ${row.status}`)
}

/** The jobs that continue at the service if the run ends now. */
export function jobsUnderWay({ steps }: Pick<RunDescription, 'steps'>): string[] {
  return steps.flatMap(({ status, jobs }) => (status === 'running' ? (jobs.at(-1)?.jobId ?? []) : []))
}
