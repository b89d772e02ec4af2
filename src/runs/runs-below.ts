import { BEGUN_STATUSES } from '../core/format/statuses.ts'
import { isoTime } from '../core/iso-time.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import type { RunDescription, StepDescription } from './describe-run.ts'
import { withItemsWaits } from './step-waits.ts'

/** Nobody would read a longer list of runs below one run. */
const MOST_WAITING = 20

/**
 * The runs below a run (those that it started, directly or through other runs) that are waiting for a person, newest
 * first.
 */
export async function waitingRunsBelow(parent: string, runs: Pick<RunHistory, 'page'>): Promise<readonly RunRow[]> {
  const { rows } = await runs.page({ parent, status: BEGUN_STATUSES, limit: MOST_WAITING })
  const found = await Promise.all(
    rows.map(async (row) => [...(row.status === 'waiting' ? [row] : []), ...(await waitingRunsBelow(row.runId, runs))]),
  )
  return found.flat()
}

/** The maximum number of child runs that one run can have active at once. */
const MOST_CHILDREN = 10_000

/**
 * Adds the partner waits of the runs below a run to the steps that started these runs. It reads more only if one of
 * these runs waits.
 */
export async function withWaitsBelow(run: RunDescription, runs: Pick<RunHistory, 'page'>): Promise<RunDescription> {
  if (run.partnerWaits === undefined || run.steps.every((step) => childOf(step) === undefined)) return run
  const { rows } = await runs.page({ parent: run.runId, status: BEGUN_STATUSES, limit: MOST_CHILDREN })
  const waits = new Map(rows.map(({ runId, partnerWaits }) => [runId, partnerWaits]))
  const steps = run.steps.map((step) => {
    const below = waits.get(childOf(step) ?? '')
    const partnerWaits = step.partnerWaits ?? (below && { ...below, since: isoTime(below.since) })
    return { ...step, partnerWaits }
  })
  return { ...run, steps: withItemsWaits(steps) }
}

/** The run that a step has started and is waiting for. */
function childOf({ status, childRun }: StepDescription): string | undefined {
  return status === 'running' ? childRun : undefined
}
