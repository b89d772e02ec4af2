import { notFound } from '../api-error.ts'
import type { Handlers, OperationsOf } from '../call.ts'
import { jobView } from './start-job.ts'

/** Job ids are decimal numbers in text; any other text names no job. */
const JOB_ID = /^\d{1,18}$/

export const jobHandlers: Handlers<OperationsOf<'jobs'>> = {
  'jobs.get'({ store, caller }, { jobId }) {
    const job = JOB_ID.test(jobId) ? store.jobs.findSummary(jobId) : undefined
    if (!job || job.participant !== caller.id) throw notFound('job', jobId)
    return jobView(job)
  },
}
