import type { Job } from '../contract/job.ts'
import type { JobRule } from '../contract/operation.ts'
import { operationOf } from '../contract/operations.ts'
import type { SteadyClock } from '../core/clock.ts'
import { failedError } from '../core/errors.ts'
import type { StepRun } from './define-step.ts'
import { VISIBLE_WITHIN_MS } from './read-after-job.ts'
import { readMatchOfJob } from './read-made-match.ts'
import { matchRequestIn } from './same-match.ts'
import type { StartedJob } from './started-job.ts'
import { askingAlone, claimedThings } from './with-claim.ts'
import { outcomeUnknown } from './writes/outcome-unknown.ts'
import { pollForOutcome } from './writes/poll-for-outcome.ts'
import { idsIn, type LookupDeps, type ReconcileDeps } from './writes/reconciler.ts'

/**
 * Finds the id of what a job made if the job, read again, still does not name it. For a match, first tries the job's
 * own id (decision 71). Then looks for what the job made; if that fails, throws `job-without-id` (decision 139).
 * Undefined for a job that made nothing, such as one that ended as PARTIAL_SUCCESS.
 */
export async function findMade(
  start: StartedJob,
  rule: JobRule,
  job: Partial<Job>,
  { context, services }: Pick<StepRun, 'context' | 'services'>,
): Promise<string | undefined> {
  const { operation, name = '' } = start
  if (job.status !== 'SUCCESS') return undefined
  const { id } = await context.once(`${name}made`, async (signal) => {
    const deps = { ...services, signal }
    const found =
      (await matchOfJob(start, rule, job, deps)) ??
      (await askingAlone(claimedThings(start.operation, start.input).likes, { context, services }, () =>
        lookedUp(start, rule, job, { context, services: deps }),
      ))
    if (found !== undefined) return { id: found }
    throw failedError(
      'job-without-id',
      `job ${job.id} of ${operation} succeeded, but does not name its ${rule.resource}, and the service shows nothing new that fits`,
      'look in the service for what it made before you send the request again',
    )
  })
  return id
}

/**
 * The id that the request itself names, for example in a refresh or a share. Paths use this id, although the job may
 * show another one (decision 71).
 */
export function namedIn({ operation, input }: StartedJob, { resource, read }: JobRule): string | undefined {
  const isInPath = operationOf(operation).path.includes(`{${read.by}}`)
  const named = input[resource] ?? (isInPath ? input[read.by] : undefined)
  return typeof named === 'string' ? named : undefined
}

async function matchOfJob(
  { input, before = {} }: StartedJob,
  { resource }: JobRule,
  { id: matchId }: Partial<Job>,
  deps: ReconcileDeps,
): Promise<string | undefined> {
  const request = matchRequestIn(input)
  if (resource !== 'matchId' || !request || matchId === undefined) return undefined
  const found = await readMatchOfJob(matchId, request, deps)
  return found && !idsIn(before).includes(found.shownId) ? matchId : undefined
}

async function lookedUp(
  { operation, look, sentBy }: StartedJob,
  { resource }: JobRule,
  { id }: Partial<Job>,
  {
    context,
    services: { clock, signal },
  }: Pick<StepRun, 'context'> & { services: { clock: SteadyClock } & LookupDeps },
): Promise<string | undefined> {
  if (!look) return undefined
  const limits = { windowMs: VISIBLE_WITHIN_MS, maxWaitMs: VISIBLE_WITHIN_MS, isApplied: true }
  const conclusion = await pollForOutcome((how) => look(signal, { jobId: id, ...how }), limits, { clock, signal })
  if (conclusion.state === 'done') return conclusion.answer[resource]
  if (conclusion.state !== 'ambiguous') return undefined
  const lookedFor = `what job ${id} made (the job does not say)`
  throw outcomeUnknown(context, { operation, sentBy, jobId: id, lookedFor, found: conclusion.why })
}
