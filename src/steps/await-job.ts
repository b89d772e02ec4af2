import type { ApiClient } from '../adapter/api-client.ts'
import { JOB_STATUSES } from '../contract/enumerations.ts'
import type { Job } from '../contract/jobs.ts'
import type { JobRule } from '../contract/operation.ts'
import { type InputOf, type OperationId, operationOf } from '../contract/operations.ts'
import type { StepContext, StepRequest, WaitMeans } from '../core/engine.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { AwaitRule } from '../core/pipeline.ts'
import type { StepServices } from './runnable-step-type.ts'

/** Where a step does not wait for its job, what is under way at the service may take this long, in milliseconds. */
const PATIENCE_WITHOUT_AWAIT_MS = 900_000

/**
 * Waits for the job that an answer names, as the step's `await` says, and reads what it made or changed. An answer
 * without a job, found after the real one was lost, names the resource itself. `name` stands before the record's name.
 */
export async function awaitJob(
  operation: OperationId,
  answer: JsonObject,
  context: StepContext,
  request: StepRequest,
  services: StepServices,
  name = '',
): Promise<JsonObject> {
  const started: Partial<Job> = answer
  const { job: rule } = operationOf(operation)
  const { await: awaitRule } = request
  if (awaitRule === false || !rule) return jobOutputs(started)
  const { id: jobId } = started
  const job =
    jobId === undefined
      ? started
      : await context.once(`${name}job`, () => waitForJob(jobId, awaitRule, context, services, operation))
  const id = job[rule.resource]
  return { ...jobOutputs(job), ...(id && (await readResource(rule, id, context, services))) }
}

/** Waits for a job, reporting its statuses; any resource will do where no operation is named that started it. */
export function waitForJob(
  jobId: string,
  awaitRule: AwaitRule,
  context: StepContext,
  { api }: StepServices,
  operation?: OperationId,
): Promise<Job> {
  return context.wait(`job ${jobId}`, jobWait(api, jobId, awaitRule, operation))
}

/** Holds on to nothing of the run, which may be forgotten meanwhile. */
function jobWait(api: ApiClient, jobId: string, awaitRule: AwaitRule, operation: OperationId | undefined) {
  const { timeoutMs, approvalTimeoutMs, poll, accept } = awaitRule
  const resource = operation && operationOf(operation).job?.resource
  return ({ signal, report }: WaitMeans) =>
    api.waitForJob(jobId, {
      signal,
      timeoutMs,
      approvalTimeoutMs,
      poll,
      accept: JOB_STATUSES.filter((status) => accept.includes(status)),
      ...(operation && { operation }),
      ...(resource && { resource }),
      onStatus: (seen, waitedMs) => report({ kind: 'job', jobId: seen.id, status: seen.status, waitedMs }),
    })
}

/** Reads what a job made or changed. */
export async function readResource(
  { read }: JobRule,
  id: string,
  { signal }: StepContext,
  { api }: StepServices,
): Promise<JsonObject> {
  const input = { [read.by]: id } as InputOf<OperationId>
  const resource = await api.call(read.operation, input, { signal })
  return isJsonObject(resource) ? resource : {}
}

export function jobOutputs({ id, status, ...ids }: Partial<Job>): JsonObject {
  return { ...(id !== undefined && { jobId: id }), ...(status !== undefined && { jobStatus: status }), ...ids }
}

/** How long a step lets something take that is under way at the service, in milliseconds. */
export function patienceOf({ await: awaitRule }: StepRequest): number {
  return awaitRule === false ? PATIENCE_WITHOUT_AWAIT_MS : awaitRule.timeoutMs
}
