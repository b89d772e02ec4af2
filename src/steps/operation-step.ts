import { type InputOf, type OperationId, operationOf, operations } from '../contract/operations.ts'
import type { FieldChange } from '../core/format/field-change.ts'
import { count } from '../core/format/figures.ts'
import type { JsonObject } from '../core/json.ts'
import { awaitJob, maxWaitOf } from './await-job.ts'
import { defineStep, type RunnableStepType, type StepRun } from './define-step.ts'
import { fieldChanges } from './field-changes.ts'
import { jobOutputSchema } from './job-output-schema.ts'
import { afterRun } from './nothing-yet.ts'
import { listOutput, MAX_LISTED, readAnswer } from './read-answer.ts'
import { readIfThere } from './read-if-there.ts'
import { requestOf } from './request-of.ts'
import { noteBuild } from './segment-build.ts'
import type { LookupDeps, ReconciledId } from './writes/reconciler.ts'
import { isReconciled } from './writes/reconcilers.ts'
import { sendDelete } from './writes/send-delete.ts'
import { sendWrite, withRepeated } from './writes/send-write.ts'

/** The step type of an operation: takes the operation's fields, sends it once, and waits for the job that it starts. */
export function operationStep(id: OperationId): RunnableStepType {
  const { summary, description, input, rules, job, method, list } = operationOf(id)
  const pages = list?.paged
    ? `Without page and pageSize it reads every page, up to ${count(MAX_LISTED, 'item')}.`
    : undefined
  const texts = [description, pages].filter((text) => text !== undefined)
  return defineStep({
    name: id,
    summary,
    description: texts.join(' ') || undefined,
    input,
    rules,
    output: list?.paged ? listOutput(id) : jobOutputSchema(id),
    startsJob: job !== undefined,
    run: runOf(id),
    async plan(question, { api, signal }) {
      if (method !== 'GET') {
        const requests = [requestOf(id, question.input)]
        const changes = await changesOf(id, question.input, { api, signal })
        return { action: actionOf(id), changes, requests, outputs: {}, complete: false }
      }
      if (!question.known) return afterRun(question)
      const outputs = await readAnswer(id, question.known, { api, signal })
      return { action: 'read', requests: [], outputs, complete: true }
    },
  })
}

function runOf(id: OperationId): RunnableStepType['run'] {
  const { method } = operationOf(id)
  if (isReconciled(id)) return (step) => write(id, step)
  if (method === 'DELETE') return (step) => sendDelete(id, step.input, step)
  return ({ input, context, services: { api } }) =>
    context.once('answer', (signal) => readAnswer(id, input, { api, signal }))
}

/** A write that starts a job. */
async function write<Id extends ReconciledId>(operation: Id, step: StepRun): Promise<JsonObject> {
  // The engine has checked the input against the operation's schema.
  const input = step.input as InputOf<Id> & JsonObject
  const written = await sendWrite({ operation, input, maxWaitMs: maxWaitOf(step) }, step)
  const { outputs } = await awaitJob(written, step)
  if (operation === 'segments.create' || operation === 'segments.refresh') await noteBuild(outputs, step)
  return withRepeated(outputs, written)
}

/** The changes that an operation makes to the fields of a thing; undefined if no read shows any of these fields. */
async function changesOf(
  id: OperationId,
  input: JsonObject,
  deps: LookupDeps,
): Promise<readonly FieldChange[] | undefined> {
  const action = actionOf(id)
  const read = action === 'update' || action === 'refresh' ? readerOf(id) : undefined
  const { [read?.by ?? '']: key, ...fields } = input
  const names = read && Object.keys(fields).filter((field) => Object.hasOwn(shownBy(read.operation), field))
  if (!read || !names || names.length === 0 || typeof key !== 'string') return undefined
  const is: JsonObject | undefined = await readIfThere(() => readAnswer(read.operation, { [read.by]: key }, deps))
  return is && fieldChanges(names, fields, (field) => is[field])
}

/** The operation that reads what another one changes, and the field with the id. */
function readerOf(id: OperationId): { readonly operation: OperationId; readonly by: string } | undefined {
  const { job, path, shows = {} } = operationOf(id)
  if (job) return job.read
  const [by] = Object.keys(shows)
  const operation = (Object.keys(operations) as OperationId[]).find(
    (other) => operationOf(other).method === 'GET' && operationOf(other).path === path,
  )
  return operation && by !== undefined ? { operation, by } : undefined
}

function shownBy(id: OperationId): object {
  return operationOf(id).output?.properties ?? {}
}

function actionOf(id: OperationId): 'create' | 'update' | 'refresh' | 'delete' | 'send' {
  const name = id.slice(id.indexOf('.') + 1)
  return name === 'create' || name === 'update' || name === 'refresh' || name === 'delete' ? name : 'send'
}
