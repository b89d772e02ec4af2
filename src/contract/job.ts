import { type Static, text } from '../core/json-schema.ts'
import { JOB_STATUSES } from './enumerations.ts'
import { openEnum, openObject, READ } from './fields.ts'

/**
 * A job. It is also the response of every operation that starts one. Ids that do not apply are left out (decision 129).
 */
export const Job = {
  title: 'Job',
  ...openObject(['id', 'status'], {
    id: text('Id of the job.'),
    status: openEnum(JOB_STATUSES, 'The status of the job.'),
    segmentId: text(
      'The segment it made or works on. A job that creates a segment has this id only after it has succeeded.',
    ),
    matchId: text('The match it made or works on.'),
    activationId: text('The activation it made.'),
  }),
} as const
export type Job = Static<typeof Job>

export const jobOperations = {
  'jobs.get': {
    ...READ,
    path: '/api/jobs/{jobId}',
    summary: 'Read a job.',
    input: openObject(['jobId'], { jobId: text('Id of the job.') }),
    output: Job,
    shows: { jobId: 'id' },
    notFound: [404, 400],
  },
} as const
