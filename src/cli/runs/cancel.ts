import { AudienceError } from '../../core/errors.ts'
import { describeRun } from '../../engine/describe-run.ts'
import { followRun } from '../follow-run.ts'
import type { Terminal } from '../terminal.ts'
import { type AppFlags, withApp } from '../with-app.ts'
import { findRun, withHistory } from '../with-history.ts'

/** Cancels a run: by its owner where it has one, here otherwise. Says what goes on at the service. */
export async function cancelRun(runId: string, flags: AppFlags, terminal: Terminal): Promise<number> {
  const jobs = await withHistory(terminal, async (journal) => {
    const row = findRun(journal, runId)
    if (row.finishedAt !== undefined) {
      throw new AudienceError({ code: 'run-ended', kind: 'usage', message: `run ${runId} has ended: ${row.status}` })
    }
    return jobsUnderWay(describeRun(row, journal.records(runId)).steps)
  })
  const exitCode = await withApp(flags, terminal, async (app) => {
    await app.engine.cancel(runId)
    return followRun(app, runId, flags, terminal)
  })
  for (const job of jobs) terminal.out.write(`job ${job} goes on at the service: it has no way to be stopped\n`)
  // A run that ended as cancelled is what was asked for.
  return exitCode === 1 ? 0 : exitCode
}

function jobsUnderWay(steps: readonly { status: string; jobs: readonly { jobId: string }[] }[]): string[] {
  return steps.flatMap(({ status, jobs }) => (status === 'running' ? (jobs.at(-1)?.jobId ?? []) : []))
}
