import { openText } from './fields.ts'
import { Job } from './job.ts'

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
