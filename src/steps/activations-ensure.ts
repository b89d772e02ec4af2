import { ApiError } from '../adapter/api-error.ts'
import { activationOperations } from '../contract/activations.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { sentOf } from './activation-differences.ts'
import { activationKey, rememberOwner } from './activation-memory.ts'
import {
  type ActivationsEnsureInput,
  activationsEnsureInput,
  activationsEnsureOutput,
} from './activations-ensure-schema.ts'
import { awaitJob, patienceOf, readResource } from './await-job.ts'
import type { ActivationPlan } from './decide-activation.ts'
import { remember } from './memory-key.ts'
import type { RunnableStepType, StepServices } from './runnable-step-type.ts'
import { type ActivationView, seeActivation } from './see-activation.ts'
import type { StartedJob } from './started-job.ts'
import { outcomeUnknown } from './writes/outcome-unknown.ts'
import type { LookupDeps } from './writes/reconciler.ts'
import { sendDelete } from './writes/send-delete.ts'
import { sendWrite } from './writes/send-write.ts'

const { 'activations.create': create } = activationOperations

/** A plan that the step can carry out; the other plans need a change by a person or in the document. */
type Doable = ActivationView & { readonly plan: Exclude<ActivationPlan, { state: 'ambiguous' | 'conflict' }> }

/**
 * Creates the activation once and leaves it alone after that. If the document changes, does what the step's setting
 * says.
 */
export const activationsEnsure: RunnableStepType = {
  name: 'activations.ensure',
  summary: 'Activate a matched segment, unless it is activated already.',
  description:
    'It finds the activation that it made before; where nothing is remembered, one of the same name. One of another segment or match does not count. An activation cannot be changed: `onChange` says what to do when the step asks for something else than it was made with.',
  input: activationsEnsureInput,
  check: (input) => violationsOf(validators['activations.ensure'], input),
  output: activationsEnsureOutput,
  startsJob: true,
  async run(context, request, services) {
    // The engine has checked the input against the schema.
    const input = request.input as unknown as ActivationsEnsureInput
    const key = activationKey(input, context, services)
    const view = await context.once('plan', (signal) => planFor(input, context, { ...services, signal }))
    const { plan, target } = view
    const known = async (activationId: string, sent: JsonObject) => {
      await rememberOwner(activationId, target, context, services)
      await remember(services, key, { ...target, sent, state: 'known', activationId })
    }
    if (plan.state === 'leave') {
      const { activationId, changed } = plan
      // The kept activation was created with another request, which stays remembered.
      const before = services.stepMemory.get(key)?.sent
      await known(activationId, changed.length > 0 ? ((before as JsonObject) ?? {}) : sentOf(input))
      const activation = await readResource(create.job, activationId, context, services)
      return { activationId, ...activation, action: 'unchanged', changed: [...changed] }
    }
    const started =
      plan.state === 'wait'
        ? { operation: 'activations.create' as const, input: request.input, answer: { id: plan.jobId } }
        : await send(input, { ...view, plan }, context, request, services)
    const outputs = await awaitJob(started, context, request, services)
    const { activationId } = outputs
    if (typeof activationId === 'string') {
      const sent = plan.state === 'wait' ? services.stepMemory.get(key)?.sent : sentOf(input)
      await known(activationId, (sent as JsonObject) ?? {})
    }
    if (plan.state === 'wait') return { ...outputs, action: 'unchanged', changed: [] }
    return { ...outputs, action: plan.state === 'replace' ? 'replaced' : 'created', changed: [...plan.changed] }
  },
}

async function planFor(
  input: ActivationsEnsureInput,
  context: StepContext,
  deps: StepServices & LookupDeps,
): Promise<Doable> {
  const view = await seeActivation(input, context, deps)
  const { plan } = view
  if (plan.state === 'conflict') throw conflict(input, plan, context)
  if (plan.state !== 'ambiguous') return { ...view, plan }
  throw outcomeUnknown(context, {
    operation: 'activations.create',
    lookedFor: `an activation named ${JSON.stringify(input.activationName)}`,
    found: plan.why,
  })
}

/** Sends the creation. Remembers the intent first, so that no other run sends it too. */
async function send(
  input: ActivationsEnsureInput,
  {
    plan,
    target,
    before,
  }: ActivationView & { readonly plan: Extract<Doable['plan'], { state: 'create' | 'replace' }> },
  context: StepContext,
  request: StepRequest,
  services: StepServices,
): Promise<StartedJob> {
  const key = activationKey(input, context, services)
  if (plan.state === 'replace') {
    await sendDelete('activations.delete', { id: plan.activationId }, context, services, {
      name: 'replace.',
      mayBeGone: true,
    })
  }
  const remembered = services.stepMemory.get(key) ?? {}
  const making = { ...target, sent: sentOf(input), runId: context.runId }
  await remember(services, key, { ...making, state: 'sending', before: [...before] })
  const { onChange: _onChange, ...fields } = input
  const write = { operation: 'activations.create', input: fields, maxWaitMs: patienceOf(request) } as const
  const written = await sendWrite(write, context, services).catch(async (error: unknown) => {
    if (hasNotHappened(error)) await remember(services, key, remembered)
    throw error
  })
  const { id: jobId } = written.answer
  if (typeof jobId === 'string') await remember(services, key, { ...making, state: 'started', jobId })
  return written
}

/** An error of another operation comes from reading before anything was sent. */
function hasNotHappened(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { operation, outcome } = error.request
  return operation !== 'activations.create' || outcome !== 'unknown'
}

function conflict(
  { activationName }: ActivationsEnsureInput,
  { activationId, fields, isOwn }: Extract<ActivationPlan, { state: 'conflict' }>,
  { stepKey }: StepContext,
): AudienceError {
  return new AudienceError({
    code: 'activation-conflict',
    kind: 'failed',
    message: `step "${stepKey}": activation ${activationId} ${JSON.stringify(activationName)} has another ${fields.join(', ')}; an activation cannot be changed`,
    hint: isOwn
      ? 'give the step `onChange: replace` to delete it and create another, or `onChange: keep` to leave it as it is'
      : 'the step does not remember making it: give the step another activationName, delete that activation, or leave it with `onChange: keep`',
  })
}
