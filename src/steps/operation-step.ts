import { type InputOf, type OperationId, operationOf } from '../contract/operations.ts'
import { validateForSending } from '../contract/validate-input.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { awaitJob, patienceOf } from './await-job.ts'
import { jobOutputSchema } from './job-output-schema.ts'
import { listStep } from './list-step.ts'
import type { RunnableStepType } from './runnable-step-type.ts'
import { noteBuild } from './segment-build.ts'
import { isReconciled } from './writes/reconcilers.ts'
import { sendDelete } from './writes/send-delete.ts'
import { sendWrite } from './writes/send-write.ts'

/** The step type of an operation: takes the operation's fields, sends it once, and waits for the job it starts. */
export function operationStep(id: OperationId): RunnableStepType {
  const operation = operationOf(id)
  const { summary, description, input, job, method, list } = operation
  return {
    name: id,
    summary,
    ...(description !== undefined && { description }),
    input,
    check: (value) => validateForSending(id, value),
    output: jobOutputSchema(id),
    startsJob: job !== undefined,
    async run(context, request, services) {
      if (isReconciled(id) && job) {
        // The engine has checked the input against this operation's schema.
        const input = request.input as unknown as InputOf<typeof id>
        const written = await sendWrite({ operation: id, input, maxWaitMs: patienceOf(request) }, context, services)
        const outputs = await awaitJob(written, context, request, services)
        if (isBuild(id)) await noteBuild(outputs, context, services)
        return written.repeated ? { ...outputs, repeated: true } : outputs
      }
      if (method === 'DELETE') return sendDelete(id, request.input, context, services)
      return context.once('answer', async (signal): Promise<JsonObject> => {
        const answer = await services.api.untyped.call(id, request.input, { signal })
        return isJsonObject(answer) ? answer : {}
      })
    },
    ...(list?.paged && listStep(id)),
  }
}

function isBuild(id: OperationId): boolean {
  return id === 'segments.create' || id === 'segments.refresh'
}
