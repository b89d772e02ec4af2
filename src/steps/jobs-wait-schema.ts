import { Job } from '../contract/jobs.ts'
import type { ObjectSchema, Static } from '../core/json-schema.ts'

export const jobsWaitInput = {
  type: 'object',
  required: ['jobId'],
  properties: {
    jobId: { type: 'string', minLength: 1, description: 'Id of the job, as the step that started it gave it.' },
  },
} as const
export type JobsWaitInput = Static<typeof jobsWaitInput>

const { segmentId, matchId, activationId, status } = Job.properties

export const jobsWaitOutput = {
  type: 'object',
  required: ['jobId', 'jobStatus'],
  properties: {
    jobId: { type: 'string', description: 'Id of the job.' },
    jobStatus: status,
    segmentId,
    matchId,
    activationId,
  },
} as const satisfies ObjectSchema
