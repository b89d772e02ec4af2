import { TERMINAL_MATCH_STATUSES } from '../contract/enumerations.ts'
import type { Job } from '../contract/job.ts'
import type { Match } from '../contract/matches.ts'
import { hasEnded, readJob } from './read-job.ts'
import { shown } from './shown.ts'
import type { LookupDeps } from './writes/reconciler.ts'

/**
 * With these statuses, the match is being updated although the job that it names has ended, because it still names the
 * previous job.
 */
const UPDATING = ['UPDATE_SUBMITTED', 'UPDATE_RUNNING']

/**
 * Whether no job is working on a match. If the service still has the job, the job decides, because a record may stay
 * DELIVERING after its job has ended (decisions 88 and 143).
 */
export async function isAtRest(match: Match, deps: LookupDeps): Promise<boolean> {
  if (isTerminal(match)) return true
  if (UPDATING.includes(match.status)) return false
  const job = await jobOf(match, deps)
  return job !== undefined && hasEnded(job)
}

/** Whether a match failed, according to its record, or to its job if the record does not say. */
export async function hasFailed(match: Match, deps: LookupDeps): Promise<boolean> {
  const { status } = match
  if (isTerminal(match)) return status === 'FAILED' || status === 'REJECTED'
  if (UPDATING.includes(status)) return false
  const job = await jobOf(match, deps)
  return job !== undefined && ['FAILED', 'CANCELLED', 'REJECTED'].includes(job.status)
}

/** Whether the record itself says that no job is working on the match. */
export function isTerminal({ status }: Match): boolean {
  return TERMINAL_MATCH_STATUSES.some((terminal) => terminal === status)
}

/** The last job that worked on a match; if the match names none, the job with the match's id (decision 71). */
function jobOf({ matchId, matchJobId }: Match, deps: LookupDeps): Promise<Job | undefined> {
  return readJob(shown(matchJobId) ?? matchId, deps)
}
