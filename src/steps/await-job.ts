import { JOB_STATUSES } from '../contract/enumerations.ts'
import type { Job } from '../contract/jobs.ts'
import type { JobRule } from '../contract/operation.ts'
import type { InputOf, OperationId } from '../contract/operations.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { StepServices } from './runnable-step-type.ts'

/** Waits for the job that an answer names, as the step's `await` says, and reads what it made or changed. */
export async function awaitJob(
  rule: JobRule,
  answer: JsonObject,
  context: StepContext,
  request: StepRequest,
  { api }: StepServices,
): Promise<JsonObject> {
  const started = answer as Job
  if (request.await === false) return jobOutputs(started)
  const { timeoutMs, approvalTimeoutMs, poll, accept } = request.await
  const job = await context.once('job', (signal) =>
    api.waitForJob(started.id, {
      signal,
      timeoutMs,
      approvalTimeoutMs,
      poll,
      accept: JOB_STATUSES.filter((status) => accept.includes(status)),
      resource: rule.resource,
      onStatus: (seen, waitedMs) => context.report({ kind: 'job', jobId: seen.id, status: seen.status, waitedMs }),
    }),
  )
  const id = job[rule.resource]
  if (!id) return jobOutputs(job)
  const input = { [rule.read.by]: id } as InputOf<OperationId>
  const resource = await api.call(rule.read.operation, input, { signal: context.signal })
  return { ...jobOutputs(job), ...(isJsonObject(resource) && resource) }
}

function jobOutputs({ id, status, ...ids }: Job): JsonObject {
  return { jobId: id, jobStatus: status, ...ids }
}
