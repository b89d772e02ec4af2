import type { Static } from '../core/json-schema.ts'
import { JOB_STATUSES } from './enumerations.ts'
import { openEnum, openObject, READ } from './fields.ts'

const id = (description: string) => ({ type: 'string', description }) as const

/**
 * A job. It is also the response of every operation that starts one. Ids that do not apply are left out (decision 129).
 */
export const Job = {
  title: 'Job',
  ...openObject(['id', 'status'], {
    id: id('Id of the job.'),
    status: openEnum(JOB_STATUSES, 'The status of the job.'),
    segmentId: id('The segment it made or works on; a creation has one only after the job has succeeded.'),
    matchId: id('The match it made or works on.'),
    activationId: id('The activation it made.'),
  }),
} as const
export type Job = Static<typeof Job>

export const jobOperations = {
  'jobs.get': {
    ...READ,
    path: '/api/jobs/{jobId}',
    summary: 'Read a job.',
    input: openObject(['jobId'], { jobId: id('Id of the job.') }),
    output: Job,
    shows: { jobId: 'id' },
    notFound: [404, 400],
  },
} as const
