import { isNotFound } from '../adapter/api-error.ts'
import { type Match, matchOperations } from '../contract/matches.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { LedgerKey } from '../core/ledger.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { awaitJob, patienceOf, readResource } from './await-job.ts'
import { decideMatch, type MatchPlan } from './decide-match.ts'
import { ledgerKey, remember } from './ledger-key.ts'
import {
  type MatchesEnsureInput,
  matchesEnsureInput,
  matchesEnsureOutput,
  matchesEnsureRules,
} from './matches-ensure-schema.ts'
import type { LookMeans } from './reconcile/reconciler.ts'
import type { RunnableStepType, StepServices } from './runnable-step-type.ts'
import { isSameMatch } from './same-match.ts'
import { buildOf } from './segment-build.ts'
import { sendWrite } from './send-write.ts'

const { 'matches.create': create } = matchOperations

/** What is to be done, and the build of the segment that the match is of afterwards. */
type Plan = { readonly plan: Exclude<MatchPlan, { state: 'busy' }>; readonly build: string | null }

/** Creates the match the first time; later matches again when the segment was built since, or leaves it. */
export const matchesEnsure: RunnableStepType = {
  name: 'matches.ensure',
  summary: 'Match a segment, or bring the match there is up to date.',
  description:
    'It finds the match of the same segment, partner or group, and scopes, and refreshes it when the segment was built since. One that failed or was rejected is made anew.',
  input: matchesEnsureInput,
  check: (input) => violationsOf(validators['matches.ensure'], input, matchesEnsureRules),
  output: matchesEnsureOutput,
  startsJob: true,
  async run(context, request, services) {
    // The engine has checked the input against the schema.
    const input = request.input as unknown as MatchesEnsureInput
    const key = matchKey(input, context, services)
    const { plan, build } = await context.once('plan', (signal) =>
      planAtRest(input, services.ledger.get(key), { ...services, signal }, patienceOf(request)),
    )
    const done = await carryOut(plan, input, context, request, services)
    const { matchId } = done
    if (typeof matchId === 'string') {
      const isOfBuild = plan.state !== 'unchanged' || plan.changed.length === 0
      await remember(services, key, { matchId, build: isOfBuild ? build : null })
    }
    return { ...done, action: plan.state, changed: plan.changed }
  },
}

/** Where the match of a step is remembered. */
export function matchKey(
  input: MatchesEnsureInput,
  place: Parameters<typeof ledgerKey>[0],
  services: Pick<StepServices, 'profile'>,
): LedgerKey {
  const approver = input.groupId ?? String(input.partnerId)
  const scopes = [...new Set(input.deliveryScopes)].sort().join(',')
  return ledgerKey(place, services, `${input.segmentId} ${approver} ${scopes}`)
}

const POLL_MS = { shortest: 500, longest: 30_000 } as const

/** Decides when no job works on the match any more: an earlier run may have stopped waiting for one. */
async function planAtRest(
  input: MatchesEnsureInput,
  remembered: JsonObject | undefined,
  means: StepServices & LookMeans,
  patienceMs: number,
): Promise<Plan> {
  const { api, clock, signal } = means
  const startedAt = clock.now()
  for (;;) {
    const segment = await api.segments.get({ id: input.segmentId }, { signal })
    const build = buildOf(segment, means)
    const plan = decideMatch(input, await findSame(input, remembered, means), { remembered, build })
    if (plan.state !== 'busy') return { plan, build: build ?? null }
    const waitedMs = clock.now() - startedAt
    if (waitedMs >= patienceMs) throw stillBusy(plan.matchId)
    await clock.sleep(Math.min(POLL_MS.longest, Math.max(POLL_MS.shortest, waitedMs / 10)), signal)
  }
}

/** The remembered match by its id, where it still fits; without one, all that fit. */
export async function findSame(
  input: MatchesEnsureInput,
  remembered: JsonObject | undefined,
  { api, signal }: LookMeans,
): Promise<Match[]> {
  const matchId = remembered?.matchId
  if (typeof matchId === 'string') {
    try {
      const match = await api.matches.get({ matchId }, { signal })
      if (isSameMatch(match, input)) return [match]
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  // Not by segment name: a match may keep the one that the segment had when it was made.
  const matches = await Array.fromAsync(api.items('matches.list', { requester: true }, { signal }))
  return matches.filter((match) => isSameMatch(match, input))
}

async function carryOut(
  plan: Plan['plan'],
  input: MatchesEnsureInput,
  context: StepContext,
  request: StepRequest,
  services: StepServices,
): Promise<JsonObject> {
  const patienceMs = patienceOf(request)
  if (plan.state === 'created') {
    const { refresh: _refresh, ...fields } = input
    const { answer } = await sendWrite({ operation: 'matches.create', input: fields, patienceMs }, context, services)
    return awaitJob('matches.create', answer, context, request, services)
  }
  const { matchId } = plan
  if (plan.state === 'unchanged') return readResource(create.job, matchId, context, services)
  const write = { operation: 'matches.refresh', input: { matchId }, name: 'refresh.', patienceMs } as const
  const { answer, repeated } = await sendWrite(write, context, services)
  const outputs = await awaitJob('matches.refresh', answer, context, request, services, 'refresh.')
  return { matchId, ...outputs, ...(repeated && { repeated }) }
}

function stillBusy(matchId: string): AudienceError {
  return new AudienceError({
    code: 'job-timeout',
    kind: 'failed',
    message: `an earlier job on match ${matchId} has not ended`,
    hint: 'the job goes on; run again later, or give the step a longer timeout in await',
  })
}
