import type { SteadyClock } from '../core/clock.ts'
import { usageError } from '../core/errors.ts'
import type { Actor } from '../core/run.ts'
import { findRun } from '../runs/recorded-run.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'

/**
 * Records that a person has seen this kind of failure of the run's pipeline. Such failures, including later ones, are
 * not shown as new until the pipeline succeeds. Returns the run with its new state. Throws `unknown-run`,
 * `run-not-failed` or `comment-required`.
 */
export async function acknowledgeFailure(
  runId: string,
  actor: Actor,
  { runs, clock }: { runs: Pick<RunHistory, 'find' | 'acknowledge'>; clock: Pick<SteadyClock, 'now'> },
): Promise<RunRow> {
  await findRun(runs, runId)
  if (actor.comment === undefined) {
    throw usageError(
      'comment-required',
      'a comment is needed to acknowledge a failure',
      'say what is known about it, and who repairs it',
    )
  }
  if (!(await runs.acknowledge(runId, { ...actor, at: clock.now() }))) {
    throw usageError('run-not-failed', `run ${runId} has not failed, so there is nothing to acknowledge`)
  }
  return findRun(runs, runId)
}
