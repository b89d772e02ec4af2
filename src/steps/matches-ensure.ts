import { matchOperations } from '../contract/matches.ts'
import type { StepContext } from '../core/engine.ts'
import type { JsonObject } from '../core/json.ts'
import type { Forecast } from '../pipeline/step-plan.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import { awaitJob, maxWaitOf, readResource } from './await-job.ts'
import { decideMatch, type MatchPlan, type WantedMatch } from './decide-match.ts'
import { defineStep, type PlanQuestion, type StepPlanDeps, type StepRun } from './define-step.ts'
import { type FoundMatch, findOwnMatch } from './find-own-match.ts'
import { ensureOutput, refreshInput } from './job-output-schema.ts'
import { madeForMatch } from './made-for.ts'
import { MadeOtherError } from './made-other.ts'
import { type MatchMemory, type MatchSplit, matchKey, matchMemory, rememberMatch } from './match-memory.ts'
import { isAtRest } from './match-rest.ts'
import { changesOfSplit, needsSplit, splitMatch } from './match-split.ts'
import { noteMade } from './note-made.ts'
import { afterRun, nothingYet } from './nothing-yet.ts'
import { approverOf } from './ownership.ts'
import { readAfterJob } from './read-after-job.ts'
import { fieldsFor, requestOf } from './request-of.ts'
import { resolveScopes, withScopes } from './resolve-scopes.ts'
import { counterpartOf } from './same-match.ts'
import { buildOf } from './segment-build.ts'
import { type IdleLook, untilIdle } from './until-idle.ts'
import { askingAlone, claimedThings, claiming } from './with-claim.ts'
import { undecided } from './writes/outcome-unknown.ts'
import { sendWrite, withRepeated } from './writes/send-write.ts'

const { 'matches.create': create, 'matches.testControl': testControl } = matchOperations

/**
 * The plan, the segment build that the match will have afterwards, the id that an existing match shows, and whether the
 * match must be split.
 */
type Plan = {
  readonly plan: MatchPlan
  readonly build: string | null
  readonly shownId: string | null
  readonly splits: boolean
}

/**
 * Creates the match the first time. Later, refreshes the match if the segment has been built since then; otherwise
 * leaves it alone.
 */
export const matchesEnsure = defineStep({
  name: 'matches.ensure',
  summary: 'Match a segment, or bring its existing match up to date.',
  description:
    'It finds the match that it made before or, if nothing is remembered, one with the same segment, partner or group, and scopes. It refreshes the match if the segment was rebuilt since the match. A match that failed or was rejected is made again. If the service does not show the partner or group of a match, a person decides.',
  input: {
    ...create.input,
    // The service's default for both is true, so the author of a pipeline must give them (decision 65).
    required: [...create.input.required, 'shareSegmentName', 'accessBgIds'],
    properties: {
      ...create.input.properties,
      refresh: refreshInput(
        'When to match again. auto: when the segment was rebuilt since the match, as far as is known; always; never.',
      ),
      testControl: {
        type: 'object',
        minProperties: 1,
        additionalProperties: false,
        properties: {
          shaveOffPercent: testControl.input.properties.shaveOffPercent,
          controlHoldoutPercent: testControl.input.properties.controlHoldoutPercent,
        },
        description:
          'The split into test and control. It is sent when the match is made or refreshed, and when a percentage has changed; 0 switches it off.',
      },
    },
  },
  rules: create.rules,
  output: ensureOutput(
    'matches.create',
    '"segment" if the segment was rebuilt since the match, or may have been; "testControl" if an existing match was split.',
  ),
  startsJob: true,
  needsAwait: ['testControl'],
  run: claiming('matches.create', async (given: StepRun<WantedMatch>) => {
    const step = { ...given, input: await withScopes(given.input, given) }
    const { input, context, services } = step
    const key = matchKey(input, context, services)
    const planned = await context.once('plan', (signal) => planAtRest(step, key, signal))
    const { plan, build, splits } = planned
    const { done, shownId } = await carryOut(planned, key, step)
    const { matchId } = done
    if (typeof matchId === 'string') {
      const isOfBuild = plan.state !== 'unchanged' || plan.changed.length === 0
      // If the step does not wait, a later run still has to check the job.
      const known = matchMemory(await services.stepMemory.get(key))
      const jobId = step.await === false ? known.jobId : undefined
      const split = plan.state === 'unchanged' && known.matchId === matchId ? known.split : undefined
      const approver = approverOf(done) ?? knownApprover(known, matchId)
      const memory = { matchId, shownId, jobId, build: (isOfBuild && build) || undefined, split, approver }
      if (plan.state !== 'created') await noteMade(madeForMatch(input), { id: shownId ?? matchId, found: true }, step)
      await rememberMatch(key, memory, services)
    }
    const isSplit = splits && typeof matchId === 'string'
    const split = isSplit && (await splitMatch(matchId, step, key))
    const action = isSplit && plan.state === 'unchanged' ? ('updated' as const) : plan.state
    const changed = isSplit && plan.state !== 'created' ? [...plan.changed, 'testControl'] : [...plan.changed]
    return { ...done, ...split, action, changed }
  }),
  plan: (question, deps) => (question.known ? forecast(question.known, question, deps) : afterRun(question)),
})

/**
 * Waits until no job is working on the match, then decides. It waits because an earlier run may have stopped waiting
 * for a job.
 */
function planAtRest(step: StepRun<WantedMatch>, key: MemoryKey, signal: AbortSignal): Promise<Plan> {
  const { input, context, services } = step
  const { api, stepMemory } = services
  const deps = { ...services, signal }
  const look = async (): Promise<IdleLook<Plan>> => {
    const segment = await readAfterJob(() => api.segments.get({ id: input.segmentId }, { signal }), deps)
    const build = await buildOf(segment, deps)
    const memory = matchMemory(await stepMemory.get(key))
    const found = await findOwnMatch(input, memory, context.decision, deps)
    if (found.state === 'ambiguous') throw ambiguous(found, context)
    if (found.state === 'busy') return { state: 'busy', what: `segment ${input.segmentId}` }
    const match = found.state === 'found' ? found.match : undefined
    const plan = decideMatch(input, match, { memory, build })
    if (match && !(await isAtRest(match, deps))) return { state: 'busy', what: `match ${match.matchId}` }
    const shownId = (found.state === 'found' && found.shownId) || null
    const splits = needsSplit(input.testControl, splitNow(plan, memory))
    return { state: 'idle', value: { plan, build: build ?? null, shownId, splits } }
  }
  const { likes } = claimedThings('matches.create', input)
  return untilIdle(() => askingAlone(likes, step, look), maxWaitOf(step), deps)
}

/** The split that a match has before anything is sent, if known. */
function splitNow(plan: MatchPlan, memory: MatchMemory): MatchSplit | undefined {
  return plan.state === 'unchanged' && memory.matchId === plan.matchId ? memory.split : undefined
}

async function carryOut(
  { plan, shownId: shownBefore }: Plan,
  key: MemoryKey,
  step: StepRun<WantedMatch>,
): Promise<{ done: JsonObject; shownId: string | undefined }> {
  const { input, context, services } = step
  const maxWaitMs = maxWaitOf(step)
  if (plan.state === 'unchanged') {
    const { matchId } = plan
    const match = await readResource(create.job, matchId, context, services, ({ matchId: shownId }) => {
      const isOther = shownBefore !== null && shownId !== shownBefore
      if (isOther) throw new MadeOtherError(`match ${matchId}`, `its matchId is ${shownId}, and was ${shownBefore}`)
    })
    return { done: { ...match, matchId }, shownId: shownBefore ?? undefined }
  }
  const write =
    plan.state === 'created'
      ? ({
          operation: 'matches.create',
          input: fieldsFor('matches.create', input),
          maxWaitMs,
          isClaimed: true,
        } as const)
      : ({ operation: 'matches.refresh', input: { matchId: plan.matchId }, name: 'refresh.', maxWaitMs } as const)
  const written = await sendWrite(write, step)
  const { id: jobId } = written.answer
  const matchId = plan.state === 'created' ? undefined : plan.matchId
  if (typeof jobId === 'string') {
    const known = matchMemory(await services.stepMemory.get(key))
    const approver = knownApprover(known, matchId)
    const ids = { matchId, shownId: shownBefore ?? undefined, jobId, split: undefined, approver }
    await rememberMatch(key, { ...known, ...ids }, services)
  }
  const { outputs, shownId = shownBefore ?? undefined } = await awaitJob(
    { ...written, counterpart: counterpartOf(input) },
    step,
  )
  const named = matchId !== undefined && { matchId }
  return { done: withRepeated({ ...outputs, ...named }, written), shownId }
}

/** The approver that this match once showed; undefined if another match is remembered. */
function knownApprover(known: MatchMemory, matchId: string | undefined): string | undefined {
  return known.matchId === matchId ? known.approver : undefined
}

function ambiguous({ why, matchId }: Extract<FoundMatch, { state: 'ambiguous' }>, context: StepContext) {
  const done = matchId === undefined ? 'looks once more' : `takes ${matchId}`
  return undecided('match', { message: `step "${context.stepKey}": ${why}`, done }, context)
}

const SPLIT_WHY = 'its split differs, or is not known'

/** Forecasts with the segment in its current state. */
async function forecast(
  given: WantedMatch,
  question: PlanQuestion<WantedMatch>,
  deps: StepPlanDeps,
): Promise<Forecast> {
  const deliveryScopes = [...(await resolveScopes(given, deps))]
  const input = { ...given, deliveryScopes }
  const memory = matchMemory(await deps.stepMemory.get(matchKey(input, question, deps)))
  const segment = await deps.api.segments.get({ id: input.segmentId }, deps)
  const found = await findOwnMatch(input, memory, undefined, deps)
  if (found.state === 'ambiguous') return nothingYet('afterRun', `${found.why}: a person has to decide`)
  if (found.state === 'busy') return nothingYet('wait', `job ${found.jobId} of an earlier run has not ended`)
  const match = found.state === 'found' ? found.match : undefined
  const decided = decideMatch(input, match, { memory, build: await buildOf(segment, deps) })
  const isRebuilt = question.rebuilt.has(input.segmentId) && input.refresh !== 'never'
  const plan = decided.state === 'unchanged' && isRebuilt ? { ...decided, state: 'refreshed' as const } : decided
  const { testControl } = input
  const splits = needsSplit(testControl, splitNow(plan, memory))
  const splitChanges = splits ? changesOfSplit(testControl, memory.split) : undefined
  const split = (ids: JsonObject) => (splits ? [requestOf('matches.testControl', { ...ids, ...testControl })] : [])
  if (plan.state === 'created') {
    const why = 'there is no match with this segment, partner or group, and scopes'
    return {
      ...nothingYet('create', why),
      requests: [requestOf('matches.create', fieldsFor('matches.create', input)), ...split({})],
    }
  }
  const { matchId } = plan
  if (match && !(await isAtRest(match, deps))) {
    return { ...nothingYet('wait', 'a job is working on the match'), outputs: { matchId } }
  }
  if (plan.state === 'refreshed') {
    const why =
      input.refresh === 'always'
        ? '`refresh: always`'
        : isRebuilt
          ? 'its segment will be rebuilt'
          : 'its segment was rebuilt since the match'
    const requests = [requestOf('matches.refresh', { matchId }), ...split({ matchId })]
    const { changed } = plan
    return { ...nothingYet('refresh', why), changed, changes: splitChanges, requests, outputs: { matchId } }
  }
  if (splits) {
    const requests = split({ matchId })
    const outputs = { matchId }
    return { ...nothingYet('update', SPLIT_WHY), changed: ['testControl'], changes: splitChanges, requests, outputs }
  }
  return {
    action: 'leave',
    requests: [],
    outputs: { ...(match as JsonObject | undefined), matchId, action: 'unchanged', changed: [] },
    complete: true,
  }
}
