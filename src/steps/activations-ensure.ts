import { ApiError, isNotFound } from '../adapter/api-error.ts'
import { activationOperations } from '../contract/activations.ts'
import { TERMINAL_JOB_STATUSES } from '../contract/enumerations.ts'
import type { Job } from '../contract/jobs.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import type { JsonObject } from '../core/json.ts'
import type { LedgerKey } from '../core/ledger.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { type ActivationMemory, type ActivationTarget, activationMemory } from './activation-memory.ts'
import {
  type ActivationsEnsureInput,
  activationsEnsureInput,
  activationsEnsureOutput,
} from './activations-ensure-schema.ts'
import { awaitJob, patienceOf, readResource } from './await-job.ts'
import { type ActivationPlan, decideActivation } from './decide-activation.ts'
import { ledgerKey, remember } from './ledger-key.ts'
import { outcomeUnknown } from './reconcile/outcome-unknown.ts'
import type { LookMeans } from './reconcile/reconciler.ts'
import type { RunnableStepType, StepServices } from './runnable-step-type.ts'
import { isSameActivation } from './same-activation.ts'
import { sendWrite } from './send-write.ts'

const { 'activations.create': create } = activationOperations

type Plan = { readonly plan: Exclude<ActivationPlan, { state: 'undecided' }>; readonly target: ActivationTarget }

/** Creates the activation once, and leaves it from then on. */
export const activationsEnsure: RunnableStepType = {
  name: 'activations.ensure',
  summary: 'Activate a matched segment, unless it is activated already.',
  description:
    'It finds the activation that it made before; where nothing is remembered, one of the same name, campaign, agency and brand. One of another segment or match does not count.',
  input: activationsEnsureInput,
  check: (input) => violationsOf(validators['activations.ensure'], input),
  output: activationsEnsureOutput,
  startsJob: true,
  async run(context, request, services) {
    // The engine has checked the input against the schema.
    const input = request.input as unknown as ActivationsEnsureInput
    const key = activationKey(input, context, services)
    const { plan, target } = await context.once('plan', (signal) =>
      planFor(input, key, context, { ...services, signal }),
    )
    const { others } = plan
    if (plan.state === 'leave') {
      const { activationId } = plan
      await remember(services, key, { ...target, others, state: 'known', activationId })
      const activation = await readResource(create.job, activationId, context, services)
      return { activationId, ...activation, action: 'unchanged', changed: [] }
    }
    const answer =
      plan.state === 'wait'
        ? { id: plan.jobId }
        : await send(input, { ...target, others }, key, context, request, services)
    const outputs = await awaitJob('activations.create', answer, context, request, services)
    const { activationId } = outputs
    if (typeof activationId === 'string') {
      await remember(services, key, { ...target, others, state: 'known', activationId })
    }
    return plan.state === 'wait'
      ? { ...outputs, action: 'unchanged', changed: [] }
      : { ...outputs, action: 'created', changed: plan.changed }
  },
}

async function planFor(
  input: ActivationsEnsureInput,
  key: LedgerKey,
  context: StepContext,
  means: StepServices & LookMeans,
): Promise<Plan> {
  const { plan, target } = await decideAtRest(input, key, context.decision, means)
  if (plan.state !== 'undecided') return { plan, target }
  throw outcomeUnknown(context, {
    operation: 'activations.create',
    lookedFor: `an activation named ${JSON.stringify(input.activationName)}`,
    found: `it is not there (yet), and run ${plan.runId} does not know either`,
  })
}

/** Where the activation of a step is remembered. */
export function activationKey(
  input: ActivationsEnsureInput,
  place: Parameters<typeof ledgerKey>[0],
  services: Pick<StepServices, 'profile'>,
): LedgerKey {
  return ledgerKey(place, services, input.activationName)
}

/** What is to be done, after a look at what has become of what was going on; reads only. */
export async function decideAtRest(
  input: ActivationsEnsureInput,
  key: LedgerKey,
  decision: StepContext['decision'],
  means: Pick<StepServices, 'ledger'> & LookMeans,
): Promise<{ readonly plan: ActivationPlan; readonly target: ActivationTarget }> {
  const { api, ledger, signal } = means
  const remembered = await settled(activationMemory(ledger.get(key)), decision, means)
  const matchId = (await readJob(input.matchJobId, means))?.matchId ?? null
  const target = { segmentId: input.segmentId, matchId }
  const activations = await Array.fromAsync(api.items('activations.list', {}, { signal }))
  const same = activations.filter((activation) => isSameActivation(activation, input))
  return { plan: decideActivation(target, same, remembered), target }
}

/** Memory of what was going on, after a look at what has become of it. */
async function settled(
  memory: ActivationMemory | undefined,
  decision: StepContext['decision'],
  means: LookMeans,
): Promise<ActivationMemory | undefined> {
  if (!memory) return undefined
  const { segmentId, matchId, others } = memory
  const none = { segmentId, matchId, others, state: 'none' } as const
  if (memory.state === 'sending' && decision === 'again') return none
  if (memory.state !== 'started') return memory
  const job = await readJob(memory.jobId, means)
  if (!job) return none
  if (job.activationId) return { ...none, state: 'known', activationId: job.activationId }
  return TERMINAL_JOB_STATUSES.some((status) => status === job.status) ? none : memory
}

/** Sends the creation; that it was about to is remembered first, so that no other run sends it as well. */
async function send(
  input: ActivationsEnsureInput,
  target: ActivationTarget & Pick<ActivationMemory, 'others'>,
  key: LedgerKey,
  context: StepContext,
  request: StepRequest,
  services: StepServices,
): Promise<JsonObject> {
  const before = services.ledger.get(key) ?? {}
  await remember(services, key, { ...target, state: 'sending', runId: context.runId })
  const write = { operation: 'activations.create', input, patienceMs: patienceOf(request) } as const
  const { answer } = await sendWrite(write, context, services).catch(async (error: unknown) => {
    if (hasNotHappened(error)) await remember(services, key, before)
    throw error
  })
  const { id: jobId } = answer
  if (typeof jobId === 'string') await remember(services, key, { ...target, state: 'started', jobId })
  return answer
}

/** An error of another operation is of reading before anything was sent. */
function hasNotHappened(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { operation, outcome } = error.request
  return operation !== 'activations.create' || outcome !== 'unknown'
}

async function readJob(jobId: string, { api, signal }: LookMeans): Promise<Job | undefined> {
  try {
    return await api.jobs.get({ jobId }, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
