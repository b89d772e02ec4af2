import { TERMINAL_JOB_STATUSES } from '../contract/enumerations.ts'
import type { Job } from '../contract/job.ts'
import { readIfThere } from './read-if-there.ts'
import type { LookupDeps } from './writes/reconciler.ts'

/** A job, or undefined if the service does not know it (any more). */
export function readJob(jobId: string, { api, signal }: LookupDeps): Promise<Job | undefined> {
  return readIfThere(() => api.jobs.get({ jobId }, { signal }))
}

export function hasEnded({ status }: Pick<Job, 'status'>): boolean {
  return TERMINAL_JOB_STATUSES.some((terminal) => terminal === status)
}
