import { Job } from '../contract/jobs.ts'
import type { Operation } from '../contract/operation.ts'
import { type InputOf, type OperationId, operationOf } from '../contract/operations.ts'
import { validateInput } from '../contract/validate-input.ts'
import type { StepContext } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { ObjectSchema } from '../core/json-schema.ts'
import { awaitJob } from './await-job.ts'
import type { RunnableStepType, StepServices } from './runnable-step-type.ts'

/** The step type of an operation: it has the operation's fields, sends it once, and waits for the job it starts. */
export function operationStep(id: OperationId): RunnableStepType {
  const operation = operationOf(id)
  return {
    name: id,
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    input: operation.input,
    check: (input) => validateInput(id, input),
    output: outputSchema(operation),
    startsJob: operation.job !== undefined,
    async run(context, request, services) {
      const answer = await send(id, context, request.input, services)
      return operation.job ? awaitJob(operation.job, answer, context, request, services) : answer
    },
  }
}

/** A write that may not be sent twice leaves its intent before it goes out. */
async function send(
  id: OperationId,
  context: StepContext,
  input: JsonObject,
  { api }: StepServices,
): Promise<JsonObject> {
  // The engine has checked the input against this operation's schema.
  const request = input as unknown as InputOf<typeof id>
  const call = async (signal: AbortSignal) => asOutputs(await api.call(id, request, { signal }))
  const { repeat } = operationOf(id)
  if (repeat === 'always' || repeat === 'contentAddressed') return context.once('answer', call)
  let fresh = false
  await context.once('intent', async () => {
    fresh = true
    return { operation: id }
  })
  return context.once('answer', (signal) => (fresh ? call(signal) : Promise.reject(answerLost(id, context))))
}

function answerLost(id: OperationId, { stepId }: StepContext): AudienceError {
  const { method, path } = operationOf(id)
  return new AudienceError({
    code: 'outcome-unknown',
    kind: 'failed',
    message: `step "${stepId}" was interrupted while ${method} ${path} was under way, and it is not known whether the service did it`,
    hint: 'look at the service whether it is there; then start a new run',
  })
}

function asOutputs(answer: unknown): JsonObject {
  return isJsonObject(answer) ? answer : {}
}

/** Outputs of an operation that starts a job: the job's id and those of what it made, and that resource's fields. */
function outputSchema(operation: Operation): ObjectSchema {
  if (!operation.job) return operation.output ?? { type: 'object', properties: {} }
  const { segmentId, matchId, activationId, status } = Job.properties
  const resource = operationOf(operation.job.read.operation).output
  return {
    type: 'object',
    required: ['jobId'],
    properties: {
      jobId: { type: 'string', description: 'Id of the job.' },
      jobStatus: status,
      segmentId,
      matchId,
      activationId,
      ...resource?.properties,
    },
  }
}
