import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { jobOutputs, waitForJob } from './await-job.ts'
import { type JobsWaitInput, jobsWaitInput, jobsWaitOutput } from './jobs-wait-schema.ts'
import type { RunnableStepType } from './runnable-step-type.ts'

/** Waits for a job that an earlier step started without waiting for it. */
export const jobsWait: RunnableStepType = {
  name: 'jobs.wait',
  summary: 'Wait for a job that an earlier step started.',
  description: 'For steps with `await: false`, so that others can go on while the service works.',
  input: jobsWaitInput,
  check: (input) => violationsOf(validators['jobs.wait'], input),
  output: jobsWaitOutput,
  startsJob: true,
  async run(context, request, services) {
    // The engine has checked the input against the schema.
    const { jobId } = request.input as unknown as JobsWaitInput
    const { await: awaitRule } = request
    const job = await context.once('job', (signal) =>
      awaitRule === false
        ? services.api.jobs.get({ jobId }, { signal })
        : waitForJob(jobId, awaitRule, context, services),
    )
    return jobOutputs(job)
  },
}
