import { partnerText } from '../core/format/partner-text.ts'
import { UNFINISHED_STATUSES } from '../core/format/statuses.ts'
import { type Blocked, stepKey, WAITS_FOR } from '../core/run.ts'
import { describeRun, type RunDescription, type StepDescription } from '../runs/describe-run.ts'
import { describeBlocked } from '../runs/describe-waits.ts'
import { itemRef } from '../runs/item.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { MOST_RUNS } from './own-runs.ts'

type Runs = Pick<RunHistory, 'page' | 'records'>

/** The maximum number of runs that are shown, and of steps for each run. */
const MOST_SHOWN = 10

/**
 * What unfinished runs are doing. `rest`: there are none, or each of them continues only after a person answers.
 * `partner`: they are waiting only for people and partners, and at least one of them for a partner. `work`: anything
 * else.
 */
export type Doing = 'rest' | 'partner' | 'work'

/**
 * What the unfinished runs are doing. A run that waits for a resting run also rests: it is queued behind that run,
 * blocked by it, or has started it.
 */
export async function doingOf(runs: Runs): Promise<Doing> {
  const { rows } = await runs.page({ status: UNFINISHED_STATUSES, limit: MOST_RUNS })
  if (rows.length === 0) return 'rest'
  const resting = rows.filter(({ status, partnerWaits }) => status === 'waiting' || partnerWaits)
  if (resting.length === 0) return 'work'
  const others = rows.filter((row) => row.status === 'running' && !resting.includes(row))
  if (others.length > 0 && !(await areHeld(others, rows, runs))) return 'work'
  return resting.every(({ status }) => status === 'waiting') ? 'rest' : 'partner'
}

/** Whether each working step of these runs is waiting for a step of another unfinished run. */
async function areHeld(some: readonly RunRow[], all: readonly RunRow[], runs: Runs): Promise<boolean> {
  const known = new Map<string, RunDescription>()
  const stepsOf = async (runId: string): Promise<readonly StepDescription[]> => {
    const row = all.find((one) => one.runId === runId)
    if (!row) return []
    const run = known.get(runId) ?? describeRun(row, await runs.records(runId))
    known.set(runId, run)
    return run.steps
  }
  const isHeld = async ({ childRun, blocked }: StepDescription) => {
    if (childRun !== undefined) return all.some(({ runId }) => runId === childRun)
    if (!blocked) return false
    const { runId, step } = blocked.by
    return (await stepsOf(runId)).some((one) => stepKey(one) === step && isOpen(one))
  }
  for (const { runId } of some) {
    const open = innermost((await stepsOf(runId)).filter(isOpen))
    if (open.length === 0) return false
    for (const step of open) if (step.status === 'running' && !(await isHeld(step))) return false
  }
  return true
}

/** What each unfinished run is waiting for, one per line; empty if all have ended. */
export async function describeOpen(runs: Runs): Promise<readonly string[]> {
  const { rows } = await runs.page({ status: UNFINISHED_STATUSES, limit: MOST_RUNS })
  const shown = rows.slice(0, MOST_SHOWN).toReversed()
  const lines = await Promise.all(shown.map(async (row) => describeOne(row, await runs.records(row.runId))))
  return rows.length > shown.length ? [...lines, `and ${rows.length - shown.length} more runs`] : lines
}

function describeOne(row: RunRow, records: Awaited<ReturnType<Runs['records']>>): string {
  const who = `${row.pipeline}, run ${row.runId}`
  const first = records[0]?.record
  if (row.status === 'queued') {
    const { group, behind } = (first?.type === 'run.submitted' && first.queued) || {}
    return `${who} is queued: ${group === undefined ? 'too many runs are active' : `group ${group} is busy with run ${behind}`}`
  }
  const open = innermost(describeRun(row, records).steps.filter(isOpen))
  if (open.length === 0) return `${who} is between two steps`
  const waits = open.slice(0, MOST_SHOWN).map((step) => `step ${stepKey(step)} ${describeWait(step, row.runId)}`)
  return `${who}: ${[...waits, ...(open.length > waits.length ? ['and others'] : [])].join('; ')}`
}

function describeWait(step: StepDescription, runId: string): string {
  const { waitsFor, approval, partnerWaits, blocked, childRun, jobs, attempts } = step
  const job = jobs.at(-1)
  const attempt = attempts.at(-1)
  if (waitsFor) {
    const by = approval?.approvers ? ` by ${approval.approvers.join(' or ')}` : ''
    return `waits for ${WAITS_FOR[waitsFor]}${by}`
  }
  if (partnerWaits) return `${partnerText(partnerWaits)}${job ? ` (job ${job.jobId})` : ''}`
  if (blocked) return describeBlocked({ ...blocked, runId } satisfies Blocked & { runId: string })
  if (childRun !== undefined) return `waits for run ${childRun}, which it started`
  if (attempt?.retryAt !== undefined) return `is tried again at ${attempt.retryAt}: ${attempt.error?.message}`
  if (job) return `waits for job ${job.jobId} of the service, which has been ${job.status} since ${job.at}`
  return `has been working since ${attempt?.startedAt ?? step.startedAt}`
}

function isOpen({ status }: StepDescription): boolean {
  return status === 'running' || status === 'waiting'
}

/** Leaves out steps that only contain others: a forEach, and its items. */
function innermost(open: readonly StepDescription[]): readonly StepDescription[] {
  const holders = new Set(
    open.flatMap((step) => {
      const { index, block, step: id } = step
      return index === undefined ? [] : block === undefined ? [id] : [block, stepKey(itemRef(step))]
    }),
  )
  return open.filter((step) => !holders.has(stepKey(step)))
}
