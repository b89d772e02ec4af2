import type { ApiClient } from '../adapter/api-client.ts'
import { TERMINAL_JOB_STATUSES } from '../contract/enumerations.ts'
import type { Job } from '../contract/job.ts'
import { readIfThere } from './read-if-there.ts'

/**
 * A job; undefined if the service does not know it, or no longer knows it. One read does not prove that a job failed,
 * so a job that shows a failure is read twice (decision 123).
 */
export async function readJob(
  jobId: string,
  { api, signal }: { api: ApiClient; signal: AbortSignal },
): Promise<Job | undefined> {
  const read = () => readIfThere(() => api.jobs.get({ jobId }, { signal }))
  const job = await read()
  return job && hasEnded(job) && job.status !== 'SUCCESS' ? read() : job
}

export function hasEnded({ status }: Pick<Job, 'status'>): boolean {
  return TERMINAL_JOB_STATUSES.some((terminal) => terminal === status)
}
