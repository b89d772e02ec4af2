import type { ApiClient } from '../adapter/api-client.ts'
import { JOB_STATUSES } from '../contract/enumerations.ts'
import type { Job } from '../contract/job.ts'
import type { JobRule } from '../contract/operation.ts'
import { type OperationId, operationOf } from '../contract/operations.ts'
import type { StepContext, StepRequest, WaitContext } from '../core/engine.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { AwaitRule } from '../core/pipeline.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import type { StepRun, StepServices } from './define-step.ts'
import { findMade, namedIn } from './find-made.ts'
import { madeFor } from './made-for.ts'
import { refuseOther } from './made-other.ts'
import { noteMade } from './note-made.ts'
import { readAfterJob } from './read-after-job.ts'
import { readMadeMatch } from './read-made-match.ts'
import { counterpartIn, matchRequestIn } from './same-match.ts'
import type { StartedJob } from './started-job.ts'

/** How long, in milliseconds, work in progress at the service may take if the step does not wait for its job. */
const MAX_WAIT_WITHOUT_AWAIT_MS = 900_000

/** The result of a job. The outputs contain the match id that paths use; `shownId` is the id that a new match shows. */
interface JobEnd {
  readonly outputs: JsonObject
  readonly shownId?: string
}

/** Waits for a job as the step's `await` says, then reads what it made or changed. */
export async function awaitJob(start: StartedJob, step: Omit<StepRun, 'input'>): Promise<JobEnd> {
  const { operation, answer, name = '', counterpart = counterpartIn(start.input) } = start
  const started: Partial<Job> = answer
  const { job: rule } = operationOf(operation)
  const { await: awaitRule, context, services } = step
  if (awaitRule === false || !rule) return { outputs: jobOutputs(started) }
  const { id: jobId } = started
  const job =
    jobId === undefined
      ? started
      : await context.once(`${name}job`, () =>
          waitForJob(jobId, { awaitRule, context, services, operation, counterpart }),
        )
  const id = namedIn(start, rule) ?? job[rule.resource] ?? (await findMade(start, rule, job, { context, services }))
  if (id === undefined) return { outputs: jobOutputs(job) }
  const made = madeFor(operation, start.input)
  const note = (madeId: string) => made && noteMade(made, { id: madeId, job: jobId }, step)
  const deps = { ...services, signal: context.signal }
  const ofMatch = operation === 'matches.create' ? matchRequestIn(start.input) : undefined
  if (ofMatch) {
    const { match, shownId } = await readMadeMatch({ matchId: id, jobId: job.id }, ofMatch, deps)
    await note(shownId)
    return { outputs: { ...jobOutputs(job), ...(match as JsonObject) }, shownId }
  }
  const resource = await readResource(rule, id, deps, services, (read) => refuseOther(operation, start.input, id, read))
  await note(id)
  return { outputs: { ...jobOutputs(job), ...resource, [rule.resource]: id } }
}

/** How to wait for a job, and what is known about it. */
interface KnownJob {
  readonly awaitRule: AwaitRule
  readonly operation?: OperationId
  readonly counterpart?: string | undefined
}

/** Waits for a job and reports its statuses. Without `operation`, the job may name any resource. */
export function waitForJob(
  jobId: string,
  { context, services, ...known }: Pick<StepRun, 'context' | 'services'> & KnownJob,
): Promise<Job> {
  return context.wait(`job ${jobId}`, jobWait(services.api.waitForJob, jobId, known))
}

/**
 * Waits without a reference to the run, which may be parked in the meantime. The step has its own client for this wait.
 */
function jobWait(waitFor: ApiClient['waitForJob'], jobId: string, { awaitRule, operation, counterpart }: KnownJob) {
  const { timeoutMs, approvalTimeoutMs, poll, accept } = awaitRule
  const resource = operation && operationOf(operation).job?.resource
  return ({ signal, report }: WaitContext) =>
    waitFor(jobId, {
      signal,
      timeoutMs,
      approvalTimeoutMs,
      poll,
      accept: JOB_STATUSES.filter((status) => accept.includes(status)),
      operation,
      resource,
      onStatus: ({ id, status }, waitedMs) =>
        report({
          kind: 'job',
          jobId: id,
          status,
          waitedMs,
          counterpart: status === 'PENDING_APPROVAL' ? counterpart : undefined,
        }),
    })
}

/**
 * Reads what a job made or changed. This may become visible some time after the job's success (decision 141). `check`
 * throws MadeOtherError if the resource is a different one.
 */
export async function readResource(
  { read }: JobRule,
  id: string,
  { signal }: Pick<StepContext, 'signal'>,
  { api, clock }: Pick<StepServices, 'api' | 'clock'>,
  check: (resource: JsonObject) => void = () => undefined,
): Promise<JsonObject> {
  const readChecked = async () => {
    const answer = await api.untyped.call(read.operation, { [read.by]: id }, { signal })
    const resource = isJsonObject(answer) ? answer : {}
    check(resource)
    return resource
  }
  return readAfterJob(readChecked, { clock, signal })
}

export function jobOutputs({ id, status, ...ids }: Partial<Job>): JsonObject {
  return withoutUndefined({ jobId: id, jobStatus: status, ...ids })
}

/** How long, in milliseconds, a step allows work in progress at the service to take. */
export function maxWaitOf({ await: awaitRule }: Pick<StepRequest, 'await'>): number {
  return awaitRule === false ? MAX_WAIT_WITHOUT_AWAIT_MS : awaitRule.timeoutMs
}
