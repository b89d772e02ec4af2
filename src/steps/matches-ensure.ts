import { matchOperations } from '../contract/matches.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import { NeedsPersonError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import { awaitJobEnd, patienceOf, readResource } from './await-job.ts'
import { decideMatch, type MatchPlan } from './decide-match.ts'
import { type FoundMatch, findOwnMatch } from './find-own-match.ts'
import { matchKey, matchMemory, rememberMatch } from './match-memory.ts'
import { isAtRest } from './match-rest.ts'
import {
  type MatchesEnsureInput,
  matchesEnsureInput,
  matchesEnsureOutput,
  matchesEnsureRules,
} from './matches-ensure-schema.ts'
import { readAfterJob } from './read-after-job.ts'
import type { RunnableStepType, StepServices } from './runnable-step-type.ts'
import { buildOf } from './segment-build.ts'
import { type IdleLook, untilIdle } from './until-idle.ts'
import { withScopes } from './with-scopes.ts'
import type { LookupDeps } from './writes/reconciler.ts'
import { sendWrite } from './writes/send-write.ts'

const { 'matches.create': create } = matchOperations

/** The plan, the segment build that the match will be of afterwards, and the id that an existing match shows. */
type Plan = { readonly plan: MatchPlan; readonly build: string | null; readonly shownId: string | null }

/**
 * Creates the match the first time. Later, matches again if the segment was built since, else leaves the match alone.
 */
export const matchesEnsure: RunnableStepType = {
  name: 'matches.ensure',
  summary: 'Match a segment, or bring the match there is up to date.',
  description:
    'It finds the match that it made before; where nothing is remembered, one of the same segment, partner or group, and scopes. It refreshes it when the segment was built since. One that failed or was rejected is made anew. Where the service does not show with whom a match is, a person decides.',
  input: matchesEnsureInput,
  check: (input) => violationsOf(validators['matches.ensure'], input, matchesEnsureRules, matchesEnsureInput),
  output: matchesEnsureOutput,
  startsJob: true,
  async run(context, request, services) {
    // The engine has checked the input against the schema.
    const input = await withScopes(request.input as unknown as MatchesEnsureInput, context, services)
    const key = matchKey(input, context, services)
    const planned = await context.once('plan', (signal) =>
      planAtRest(input, key, context, { ...services, signal }, patienceOf(request)),
    )
    const { plan, build } = planned
    const { done, shownId } = await carryOut(planned, input, key, context, request, services)
    const { matchId } = done
    if (typeof matchId === 'string') {
      const isOfBuild = plan.state !== 'unchanged' || plan.changed.length === 0
      // When the step does not wait, a later run still has to look at the job.
      const { jobId } = request.await === false ? matchMemory(services.stepMemory.get(key)) : {}
      const memory = { matchId, shownId, jobId, build: (isOfBuild && build) || undefined }
      await rememberMatch(input, key, memory, services)
    }
    return { ...done, action: plan.state, changed: plan.changed }
  },
}

/** Decides once no job works on the match: an earlier run may have stopped waiting for one. */
function planAtRest(
  input: MatchesEnsureInput,
  key: MemoryKey,
  context: StepContext,
  deps: StepServices & LookupDeps,
  maxWaitMs: number,
): Promise<Plan> {
  const { api, stepMemory, signal } = deps
  const look = async (): Promise<IdleLook<Plan>> => {
    const segment = await readAfterJob(() => api.segments.get({ id: input.segmentId }, { signal }), deps)
    const build = buildOf(segment, deps)
    const memory = matchMemory(stepMemory.get(key))
    const found = await findOwnMatch(input, memory, context.decision, deps)
    if (found.state === 'ambiguous') throw ambiguous(found, context)
    if (found.state === 'busy') return { state: 'busy', what: `segment ${input.segmentId}` }
    const match = found.state === 'found' ? found.match : undefined
    const plan = decideMatch(input, match, { memory, build })
    if (match && !(await isAtRest(match, deps))) return { state: 'busy', what: `match ${match.matchId}` }
    const shownId = (found.state === 'found' && found.shownId) || null
    return { state: 'idle', value: { plan, build: build ?? null, shownId } }
  }
  return untilIdle(look, maxWaitMs, deps)
}

async function carryOut(
  { plan, shownId: shownBefore }: Plan,
  input: MatchesEnsureInput,
  key: MemoryKey,
  context: StepContext,
  request: StepRequest,
  services: StepServices,
): Promise<{ done: JsonObject; shownId: string | undefined }> {
  const maxWaitMs = patienceOf(request)
  if (plan.state === 'unchanged') {
    const { matchId } = plan
    const match = await readResource(create.job, matchId, context, services)
    return { done: { ...match, matchId }, shownId: shownBefore ?? undefined }
  }
  const { refresh: _refresh, ...fields } = input
  const write =
    plan.state === 'created'
      ? ({ operation: 'matches.create', input: fields, maxWaitMs } as const)
      : ({ operation: 'matches.refresh', input: { matchId: plan.matchId }, name: 'refresh.', maxWaitMs } as const)
  const written = await sendWrite(write, context, services)
  const { id: jobId } = written.answer
  const matchId = plan.state === 'created' ? undefined : plan.matchId
  if (typeof jobId === 'string') {
    const ids = { matchId, shownId: shownBefore ?? undefined, jobId }
    await rememberMatch(input, key, { ...matchMemory(services.stepMemory.get(key)), ...ids }, services)
  }
  const { outputs, shownId = shownBefore ?? undefined } = await awaitJobEnd(written, context, request, services)
  const named = matchId !== undefined && { matchId }
  return { done: { ...outputs, ...named, ...(written.repeated && { repeated: true }) }, shownId }
}

function ambiguous(
  { why, matchId }: Extract<FoundMatch, { state: 'ambiguous' }>,
  { runId, stepKey }: StepContext,
): NeedsPersonError {
  const yes = matchId === undefined ? 'looks once more' : `takes ${matchId}`
  return new NeedsPersonError('decision', {
    code: 'match-undecided',
    message: `step "${stepKey}": ${why}`,
    hint:
      `look at the service, then \`audience runs resume ${runId} --step ${stepKey} --done|--again\`: ` +
      `with --done the step ${yes}, with --again it makes another match`,
  })
}
