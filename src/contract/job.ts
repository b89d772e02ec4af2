import type { Static } from '../core/json-schema.ts'
import { JOB_STATUSES } from './enumerations.ts'
import { openEnum, openText } from './fields.ts'

/** A job, also the response of what starts one. Ids that do not apply are left out (decision 129). */
export const Job = {
  title: 'Job',
  type: 'object',
  required: ['id', 'status'],
  properties: {
    id: openText('Id of the job.'),
    status: openEnum(JOB_STATUSES, 'The status of the job.'),
    segmentId: openText('The segment it made or works on; a creation has one only after the job has succeeded.'),
    matchId: openText('The match it made or works on.'),
    activationId: openText('The activation it made.'),
  },
} as const
export type Job = Static<typeof Job>

export const jobOperations = {
  'jobs.get': {
    method: 'GET',
    path: '/api/jobs/{jobId}',
    summary: 'Read a job.',
    input: {
      type: 'object',
      required: ['jobId'],
      properties: { jobId: openText('Id of the job.') },
    },
    output: Job,
    shows: { jobId: 'id' },
    status: 200,
    accept: 'vendor',
    notFound: [404, 400],
    repeat: 'always',
  },
} as const
