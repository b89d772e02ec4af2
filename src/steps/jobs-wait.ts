import { Job } from '../contract/job.ts'
import { jobOutputs, waitForJob } from './await-job.ts'
import { defineStep } from './define-step.ts'
import { nothingYet } from './nothing-yet.ts'

const { segmentId, matchId, activationId, status } = Job.properties

/** Waits for a job that an earlier step started without waiting for it. */
export const jobsWait = defineStep({
  name: 'jobs.wait',
  summary: 'Wait for a job that an earlier step started.',
  description: 'For jobs of steps with `await: false`, so that other steps can go on while the service works.',
  input: {
    type: 'object',
    required: ['jobId'],
    properties: {
      jobId: { type: 'string', minLength: 1, description: 'Id of the job, as the step that started it gave it.' },
    },
  },
  output: {
    type: 'object',
    required: ['jobId', 'jobStatus'],
    properties: {
      jobId: { type: 'string', description: 'Id of the job.' },
      jobStatus: status,
      segmentId,
      matchId,
      activationId,
    },
  },
  startsJob: true,
  async run({ input: { jobId }, await: awaitRule, context, services }) {
    const job = await context.once('job', (signal) =>
      awaitRule === false
        ? services.api.jobs.get({ jobId }, { signal })
        : waitForJob(jobId, { awaitRule, context, services }),
    )
    return { ...jobOutputs(job), jobId: job.id, jobStatus: job.status }
  },
  plan: () => nothingYet('wait'),
})
