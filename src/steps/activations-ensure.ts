import { ApiError } from '../adapter/api-error.ts'
import { activationOperations } from '../contract/activations.ts'
import type { StepContext } from '../core/engine.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import type { FieldChange } from '../core/format/field-change.ts'
import type { JsonObject } from '../core/json.ts'
import type { Forecast } from '../pipeline/step-plan.ts'
import { activationField, sentOf } from './activation-differences.ts'
import { activationKey, activationMemory } from './activation-memory.ts'
import { awaitJob, maxWaitOf, readResource } from './await-job.ts'
import type { ActivationPlan, OnChange } from './decide-activation.ts'
import { defineStep, type PlanQuestion, type StepPlanDeps, type StepRun } from './define-step.ts'
import { fieldChanges } from './field-changes.ts'
import { jobOutputSchema } from './job-output-schema.ts'
import { madeForActivation } from './made-for.ts'
import { refuseOther } from './made-other.ts'
import { remember } from './memory-key.ts'
import { noteMade } from './note-made.ts'
import { afterRun, nothingYet } from './nothing-yet.ts'
import { readIfThere } from './read-if-there.ts'
import { fieldsFor, requestOf } from './request-of.ts'
import type { ActivationRequest } from './same-activation.ts'
import { type ActivationView, seeActivation } from './see-activation.ts'
import type { StartedJob } from './started-job.ts'
import { type IdleLook, untilIdle } from './until-idle.ts'
import { askingAlone, claimedThings, claiming } from './with-claim.ts'
import { outcomeUnknown, undecided } from './writes/outcome-unknown.ts'
import { sendDelete } from './writes/send-delete.ts'
import { sendWrite } from './writes/send-write.ts'

const { 'activations.create': create } = activationOperations
const output = jobOutputSchema('activations.create')

/** The activation that a step asks for, and what to do with a different one. */
type Wanted = ActivationRequest & { readonly onChange?: OnChange }

/** A plan that the step can carry out. The other plans need a person, or a change to the document. */
type Doable = ActivationView & {
  readonly plan: Exclude<ActivationPlan, { state: 'ambiguous' | 'busy' | 'conflict' | 'undecided' }>
}

/** Creates the activation once, then leaves it alone; if the document changes, `onChange` says what to do. */
export const activationsEnsure = defineStep({
  name: 'activations.ensure',
  summary: 'Activate a matched segment, unless it is already activated.',
  description:
    'It finds the activation that it made before or, if nothing is remembered, one with the same name. An activation that was made for another segment or match does not count. If two have the name and nothing proves whose they are, a person decides. An activation cannot be changed: `onChange` says what to do when the step asks for different values than before.',
  input: {
    ...create.input,
    properties: {
      ...create.input.properties,
      onChange: {
        enum: ['fail', 'keep', 'replace'],
        default: 'fail',
        description:
          'What to do when the activation has a different refreshRate, campaign, agency, brand or date than the step. The service cannot change these. fail: the step fails and names them; keep: the activation stays as it is; replace: it is deleted and another one is created.',
      },
    },
  },
  output: {
    ...output,
    required: ['action', 'changed'],
    properties: {
      ...output.properties,
      action: { enum: ['created', 'replaced', 'unchanged'], description: 'What the step did.' },
      changed: {
        type: 'array',
        items: { type: 'string' },
        description:
          'The differences of the known activation: ["segment"] or ["match"] if it belonged to another segment or match and a new activation was created; the names of fields if `onChange` kept or replaced it; otherwise empty.',
      },
    },
  },
  startsJob: true,
  run: claiming('activations.create', async (step: StepRun<Wanted>) => {
    const { input, context, services } = step
    const key = activationKey(input, context, services)
    const view = await context.once('plan', (signal) => planFor(step, signal))
    const { plan, target } = view
    const sentBefore = async () => ((await services.stepMemory.get(key))?.sent ?? {}) as JsonObject
    const known = async (activationId: string, sent: JsonObject) => {
      await noteMade(madeForActivation(input, target.matchId), { id: activationId, found: true }, step)
      await remember(services, key, { ...target, sent, state: 'known', activationId })
    }
    if (plan.state === 'leave') {
      const { activationId, changed } = plan
      // The kept activation was created with another request; that request is still remembered.
      await known(activationId, changed.length > 0 ? await sentBefore() : sentOf(input))
      const check = (read: JsonObject) => refuseOther('activations.create', input, activationId, read)
      const activation = await readResource(create.job, activationId, context, services, check)
      return { activationId, ...activation, action: 'unchanged' as const, changed: [...changed] }
    }
    const started =
      plan.state === 'wait'
        ? { operation: 'activations.create' as const, input, answer: { id: plan.jobId } }
        : await send({ ...view, plan }, step)
    const { outputs } = await awaitJob(started, step)
    const { activationId } = outputs
    if (typeof activationId === 'string') {
      await known(activationId, plan.state === 'wait' ? await sentBefore() : sentOf(input))
    }
    if (plan.state === 'wait') return { ...outputs, action: 'unchanged' as const, changed: [] }
    const action = plan.state === 'replace' ? ('replaced' as const) : ('created' as const)
    return { ...outputs, action, changed: [...plan.changed] }
  }),
  plan: (question, deps) => (question.known ? forecast(question.known, question, deps) : afterRun(question)),
})

/** Waits until no job is working on an activation that may be mistaken for the wanted one, then decides. */
function planFor(step: StepRun<Wanted>, signal: AbortSignal): Promise<Doable> {
  const { input, context, services } = step
  const deps = { ...services, signal }
  const named = `named ${JSON.stringify(input.activationName)}`
  const look = async (): Promise<IdleLook<Doable>> => {
    const view = await seeActivation(input, context, deps)
    const { plan } = view
    if (plan.state === 'busy') return { state: 'busy', what: `activations ${named}` }
    if (plan.state === 'conflict') throw conflict(input, plan, context)
    if (plan.state === 'undecided') {
      const message = `step "${context.stepKey}" wants an activation ${named}: ${plan.why}`
      const done = plan.activationId === undefined ? 'looks once more' : `takes ${plan.activationId}`
      throw undecided('activation', { message, done }, context)
    }
    if (plan.state !== 'ambiguous') return { state: 'idle', value: { ...view, plan } }
    const { sentBy, jobId, why: found } = plan
    const lookedFor = `an activation ${named}`
    throw outcomeUnknown(context, { operation: 'activations.create', sentBy, jobId, lookedFor, found })
  }
  const { likes } = claimedThings('activations.create', input)
  return untilIdle(() => askingAlone(likes, step, look), maxWaitOf(step), deps)
}

/** Sends the request that creates the activation. Remembers the intent first, so that no other run sends it too. */
async function send(
  { plan, target, before }: Doable & { plan: { state: 'create' | 'replace' } },
  step: StepRun<Wanted>,
): Promise<StartedJob> {
  const { input, context, services } = step
  const key = activationKey(input, context, services)
  if (plan.state === 'replace') {
    await sendDelete('activations.delete', { id: plan.activationId }, step, { name: 'replace.', mayBeGone: true })
  }
  const remembered = (await services.stepMemory.get(key)) ?? {}
  const making = { ...target, sent: sentOf(input), runId: context.runId }
  await remember(services, key, { ...making, state: 'sending', before: [...before] })
  const operation = 'activations.create'
  const write = { operation, input: fieldsFor(operation, input), maxWaitMs: maxWaitOf(step), isClaimed: true } as const
  const written = await sendWrite(write, step).catch(async (error: unknown) => {
    if (hasNotHappened(error)) await remember(services, key, remembered)
    throw error
  })
  const { id: jobId } = written.answer
  if (typeof jobId === 'string') await remember(services, key, { ...making, state: 'started', jobId })
  return written
}

/** An error from another operation comes from a read before anything was sent. */
function hasNotHappened(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { operation, outcome } = error.request
  return operation !== 'activations.create' || outcome !== 'unknown'
}

function conflict(
  { activationName }: Wanted,
  { activationId, fields, isOwn }: Extract<ActivationPlan, { state: 'conflict' }>,
  { stepKey }: StepContext,
): AudienceError {
  return failedError(
    'activation-conflict',
    `step "${stepKey}": activation ${activationId} ${JSON.stringify(activationName)} has a different ${fields.join(', ')}; an activation cannot be changed`,
    isOwn
      ? 'give the step `onChange: replace` to delete it and create another, or `onChange: keep` to leave it as it is'
      : 'the step does not remember making it: give the step another activationName, delete that activation, or leave it with `onChange: keep`',
  )
}

async function forecast(
  input: Wanted,
  place: Pick<PlanQuestion<Wanted>, 'pipeline' | 'stepId'>,
  deps: StepPlanDeps,
): Promise<Forecast> {
  const { plan } = await seeActivation(input, place, deps)
  const creation = requestOf('activations.create', fieldsFor('activations.create', input))
  switch (plan.state) {
    case 'create': {
      const { changed } = plan
      const why = changed.length > 0 ? `a different ${changed.join(', ')} from before` : 'there is none with this name'
      return { ...nothingYet('create', why), changed, requests: [creation] }
    }
    case 'replace': {
      const { changed, activationId: id } = plan
      const requests = [requestOf('activations.delete', { id }), creation]
      const changes = await changesOf(id, changed, input, place, deps)
      return { ...nothingYet('replace', 'an activation cannot be changed'), changed, changes, requests }
    }
    case 'conflict': {
      const { activationId, fields: changed } = plan
      const why = `activation ${activationId} cannot be changed; \`onChange\` says what to do`
      const changes = await changesOf(activationId, changed, input, place, deps)
      return { ...nothingYet('fail', why), changed, changes }
    }
    case 'leave': {
      const { activationId, changed } = plan
      const activation = await deps.api.activations.get({ id: activationId }, deps)
      return {
        action: 'leave',
        why: changed.length > 0 ? '`onChange: keep`' : undefined,
        changed: changed.length > 0 ? changed : undefined,
        changes: changed.length > 0 ? await changesOf(activationId, changed, input, place, deps) : undefined,
        requests: [],
        outputs: { ...activation, activationId, action: 'unchanged' as const, changed: [...changed] },
        complete: true,
      }
    }
    case 'busy':
    case 'wait':
      return nothingYet('wait', `job ${plan.jobId} of an earlier run has not ended`)
    case 'ambiguous':
    case 'undecided':
      return nothingYet('afterRun', `${plan.why}: a person has to decide`)
  }
}

/** The fields in which an activation differs, with the values that it was made with or that the service shows. */
async function changesOf(
  id: string,
  fields: readonly string[],
  input: Wanted,
  place: Pick<PlanQuestion<Wanted>, 'pipeline' | 'stepId'>,
  deps: StepPlanDeps,
): Promise<FieldChange[]> {
  const memory = activationMemory(await deps.stepMemory.get(activationKey(input, place, deps)))
  const sent = memory?.state === 'known' && memory.activationId === id ? memory.sent : undefined
  const activation = await readIfThere(() => deps.api.activations.get({ id }, deps))
  return fieldChanges(fields, wantedOf(fields, input), (field) => activationField(activation, sent, field))
}

/** A field that the step no longer gives must become empty. */
function wantedOf(fields: readonly string[], input: Wanted): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, input[field as keyof Wanted] ?? null]))
}
