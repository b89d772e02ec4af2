import { type InputOf, type OperationId, operationOf } from '../contract/operations.ts'
import type { JsonObject } from '../core/json.ts'
import { awaitJob, maxWaitOf } from './await-job.ts'
import { defineStep, type RunnableStepType, type StepRun } from './define-step.ts'
import { jobOutputSchema } from './job-output-schema.ts'
import { afterRun } from './nothing-yet.ts'
import { listOutput, MAX_LISTED, readAnswer } from './read-answer.ts'
import { requestOf } from './request-of.ts'
import { noteBuild } from './segment-build.ts'
import type { ReconciledId } from './writes/reconciler.ts'
import { isReconciled } from './writes/reconcilers.ts'
import { sendDelete } from './writes/send-delete.ts'
import { sendWrite, withRepeated } from './writes/send-write.ts'

/** The step type of an operation: takes the operation's fields, sends it once, and waits for the job it starts. */
export function operationStep(id: OperationId): RunnableStepType {
  const { summary, description, input, rules, job, method, list } = operationOf(id)
  const pages = list?.paged ? `Without page and pageSize it reads every page, up to ${MAX_LISTED} items.` : undefined
  const texts = [description, pages].filter((text) => text !== undefined)
  return defineStep({
    name: id,
    summary,
    description: texts.length > 0 ? texts.join(' ') : undefined,
    input,
    rules,
    output: list?.paged ? listOutput(id) : jobOutputSchema(id),
    startsJob: job !== undefined,
    run: runOf(id),
    async plan(question, { api, signal }) {
      if (method !== 'GET') {
        const requests = [requestOf(id, question.input)]
        return { action: actionOf(id), requests, outputs: {}, complete: false }
      }
      if (!question.known) return afterRun(question)
      const outputs = await readAnswer(id, question.known, { api, signal })
      return { action: 'read', requests: [], outputs, complete: true }
    },
  })
}

function runOf(id: OperationId): RunnableStepType['run'] {
  const { method } = operationOf(id)
  if (isReconciled(id)) return write(id).run
  if (method === 'DELETE') return (step) => sendDelete(id, step.input, step)
  return ({ input, context, services: { api } }) =>
    context.once('answer', (signal) => readAnswer(id, input, { api, signal }))
}

/** A write that starts a job. */
function write<Id extends ReconciledId>(id: Id) {
  return {
    async run(step: StepRun<InputOf<Id> & JsonObject>): Promise<JsonObject> {
      const written = await sendWrite({ operation: id, input: step.input, maxWaitMs: maxWaitOf(step) }, step)
      const outputs = await awaitJob(written, step)
      if (isBuild(id)) await noteBuild(outputs, step)
      return withRepeated(outputs, written)
    },
  }
}

function isBuild(id: OperationId): boolean {
  return id === 'segments.create' || id === 'segments.refresh'
}

function actionOf(id: OperationId): 'create' | 'update' | 'refresh' | 'delete' | 'send' {
  const name = id.slice(id.indexOf('.') + 1)
  return name === 'create' || name === 'update' || name === 'refresh' || name === 'delete' ? name : 'send'
}
