import { isNotFound } from '../adapter/api-error.ts'
import { segmentOperations } from '../contract/segments.ts'
import { AudienceError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import type { Forecast } from '../pipeline/step-plan.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import { awaitJob, maxWaitOf, readResource } from './await-job.ts'
import {
  decideSegment,
  formsOf,
  metadataOf,
  type SegmentPlan,
  segmentChanges,
  type WantedSegment,
} from './decide-segment.ts'
import { defineStep, type PlanQuestion, type StepPlanDeps, type StepRun } from './define-step.ts'
import { findOwnSegment } from './find-own-segment.ts'
import { ensureOutput, refreshInput } from './job-output-schema.ts'
import { madeForSegment } from './made-for.ts'
import { refuseOther } from './made-other.ts'
import { whyUnnamed } from './makers-of.ts'
import { memoryKey, remember } from './memory-key.ts'
import { noteMade } from './note-made.ts'
import { afterRun, nothingYet } from './nothing-yet.ts'
import { readAfterJob } from './read-after-job.ts'
import { readIfThere } from './read-if-there.ts'
import { fieldsFor, requestOf } from './request-of.ts'
import { noteBuild } from './segment-build.ts'
import { planShares, shareSegment } from './segment-shares.ts'
import { endWork, sendWork, workOn } from './segment-work.ts'
import { shown } from './shown.ts'
import { type IdleLook, untilIdle } from './until-idle.ts'
import { claiming } from './with-claim.ts'
import { sendWrite, withRepeated } from './writes/send-write.ts'

const { 'segments.create': create, 'segments.share': share } = segmentOperations

const ensured = ensureOutput(
  'segments.create',
  'The fields that differed from the step, and "shareWith" if a partner got an existing segment; empty if the segment was created.',
)
const output = {
  ...ensured,
  properties: {
    ...ensured.properties,
    stillSharedWith: {
      type: 'array',
      items: { type: 'integer' },
      description: 'With shareWith: the partners that got the segment earlier and are no longer listed; they keep it.',
    },
  },
} as const

/** Creates the segment the first time. Later, updates its metadata, rebuilds it or leaves it alone, as needed. */
export const segmentsEnsure = defineStep({
  name: 'segments.ensure',
  summary: 'Create a segment, or bring the existing one up to date.',
  description:
    'It finds the segment by participantSegmentId, updates metadata that differs, and rebuilds the segment when its file has changed. Fields that the step omits stay unchanged.',
  input: {
    ...create.input,
    properties: {
      ...create.input.properties,
      refresh: refreshInput(
        'When to rebuild an existing segment. auto: when its file differs from the one that it was built from; always; never.',
      ),
      shareWith: {
        type: 'array',
        maxItems: 100,
        uniqueItems: true,
        items: share.input.properties.partnerId,
        description:
          'The partners that get the segment. Each partner is remembered, so it gets the segment once. A share cannot be taken back: outputs.stillSharedWith names the partners that are no longer listed.',
      },
      shareSegmentName: share.input.properties.shareSegmentName,
    },
  },
  rules: create.rules,
  output,
  startsJob: true,
  needsAwait: ['shareWith'],
  run: claiming('segments.create', async (step: StepRun<WantedSegment>) => {
    const { input, context, services } = step
    const { participantSegmentId } = input
    const key = memoryKey(context, services, participantSegmentId)
    const plan = await context.once('plan', (signal) => planAtRest(step, key, signal))
    const done = await carryOut(plan, step)
    const { segmentId } = done
    if (step.await !== false) await endWork(participantSegmentId, services)
    if (typeof segmentId === 'string') {
      const isBuilt = plan.action === 'created' || plan.action === 'refreshed'
      if (plan.action !== 'created') await noteMade(madeForSegment(input), { id: segmentId, found: true }, step)
      if (isBuilt) await noteBuild(done, step)
      const builtBefore = shown(done.segmentFileName) ?? (await services.stepMemory.get(key))?.segmentFileName
      const isOfFile = isBuilt || !plan.changed.includes('segmentFileName')
      const segmentFileName = isOfFile ? input.segmentFileName : builtBefore
      const forms = formsOf(input, done)
      await remember(services, key, { segmentId, segmentFileName, metadata: metadataOf(input), forms })
    }
    const isNew = plan.action === 'created'
    const shares = typeof segmentId === 'string' && (await ensureShares(segmentId, step))
    if (!shares) return { ...done, action: plan.action, changed: [...plan.changed] }
    const changed = [...plan.changed, ...(shares.isShared && !isNew ? ['shareWith'] : [])]
    const action = shares.isShared && plan.action === 'unchanged' ? 'updated' : plan.action
    return { ...done, action, changed, stillSharedWith: [...shares.still] }
  }),
  plan: (question, deps) => (question.known ? forecast(question.known, question, deps) : afterRun(question)),
})

/** Shares the segment as the step says; undefined if the step says nothing. */
async function ensureShares(segmentId: string, step: StepRun<WantedSegment>) {
  const { input, context, services } = step
  if (!input.shareWith) return undefined
  const plan = await context.once('shares', (signal) => planShares(segmentId, input, { ...services, signal }))
  await shareSegment(segmentId, plan, step)
  return { isShared: plan.send.length > 0, still: plan.still }
}

type Plan = SegmentPlan & {
  /** When another run may have sent the same request, in milliseconds since 1970. */
  readonly sentBeforeAt?: number | undefined
}

/**
 * Waits until no job is working on the segment, then decides. It waits because an earlier run may have stopped waiting
 * for a job.
 */
async function planAtRest(step: StepRun<WantedSegment>, key: MemoryKey, signal: AbortSignal): Promise<Plan> {
  const { input, context, services } = step
  const { participantSegmentId } = input
  const { api } = services
  const deps = { ...services, signal }
  const remembered = await services.stepMemory.get(key)
  const look = async (): Promise<IdleLook<Plan>> => {
    const work = await workOn(participantSegmentId, context, deps)
    if (work.state === 'busy') return { state: 'busy', what: `segment "${participantSegmentId}"` }
    const madeId = work.state === 'ended' ? work.segmentId : undefined
    if (madeId !== undefined) {
      await readIfThere(() => readAfterJob(() => api.segments.get({ id: madeId }, { signal }), deps))
    }
    const known = madeId === undefined || remembered?.segmentId === madeId ? remembered : { segmentId: madeId }
    const own = await findOwnSegment(participantSegmentId, known, deps)
    if (own.state === 'underWay') return { state: 'busy', what: `segment "${participantSegmentId}"` }
    const sentAt = [...(work.state === 'unknown' ? [work.at] : []), ...(own.state === 'unknown' ? [own.maker.at] : [])]
    const sentBeforeAt = sentAt.length === 0 ? undefined : Math.max(...sentAt)
    const segment = own.state === 'there' ? own.thing : undefined
    return { state: 'idle', value: { ...decideSegment(input, segment, known), sentBeforeAt } }
  }
  return untilIdle(look, maxWaitOf(step), deps)
}

/** Carries out a plan. Explains the error for a segment that is listed and can be read, but not changed. */
async function carryOut(plan: Plan, step: StepRun<WantedSegment>): Promise<JsonObject> {
  try {
    return await apply(plan, step)
  } catch (error) {
    if (plan.action === 'created' || !isNotFound(error) || error.request.method === 'GET') throw error
    const { participantSegmentId } = step.input
    throw new AudienceError({
      code: 'segment-not-changeable',
      kind: 'failed',
      message: `segment ${plan.segmentId}, which the service shows for participantSegmentId "${participantSegmentId}", cannot be changed: ${error.message}`,
      hint: 'it was deleted in the meantime, or belongs to another participant who shares it with you: look at it in the service. If it is yours, try again; if not, give the step a participantSegmentId that no shared segment has',
      cause: error,
    })
  }
}

async function apply(plan: Plan, step: StepRun<WantedSegment>): Promise<JsonObject> {
  const { input, context, services } = step
  const { participantSegmentId } = input
  const limits = { maxWaitMs: maxWaitOf(step), sentBeforeAt: plan.sentBeforeAt }
  if (plan.action === 'created') {
    const creation = fieldsFor('segments.create', input)
    const write = { operation: 'segments.create', input: creation, isClaimed: true, ...limits } as const
    const written = await sendWork(participantSegmentId, () => sendWrite(write, step), step)
    return (await awaitJob(written, step)).outputs
  }
  const { segmentId: id, action, update } = plan
  if (update) {
    await context.once('update', async (signal) => {
      await services.api.segments.update({ id, ...metadataOf(input) }, { signal })
      return { id }
    })
  }
  if (action !== 'refreshed') {
    const check = (segment: JsonObject) => refuseOther('segments.create', input, id, segment)
    return { segmentId: id, ...(await readResource(create.job, id, context, services, check)) }
  }
  const { segmentFileName } = input
  const request = { id, segmentFileName }
  const write = { operation: 'segments.refresh', input: request, name: 'refresh.', ...limits } as const
  const written = await sendWork(participantSegmentId, () => sendWrite(write, step), step)
  const { outputs } = await awaitJob(written, step)
  return withRepeated({ segmentId: id, ...outputs }, written)
}

async function forecast(
  input: WantedSegment,
  place: Pick<PlanQuestion<WantedSegment>, 'pipeline' | 'stepId'>,
  deps: StepPlanDeps,
): Promise<Forecast> {
  const remembered = await deps.stepMemory.get(memoryKey(place, deps, input.participantSegmentId))
  const own = await findOwnSegment(input.participantSegmentId, remembered, deps)
  if (own.state === 'underWay') return nothingYet('wait', `job ${own.jobId} of another step is making it`)
  const segment = own.state === 'there' ? own.thing : undefined
  const plan = decideSegment(input, segment, remembered)
  const { shareWith, shareSegmentName = true } = input
  const shares = await planShares(segment?.id, input, deps)
  const shareRequests = shares.send.map((partnerId) =>
    requestOf('segments.share', { segmentId: segment?.id, partnerId, shareSegmentName }),
  )
  if (plan.action === 'created') {
    const doubt = own.state === 'unknown' ? `; ${whyUnnamed(own.maker)}` : ''
    const why = `no segment has this participantSegmentId${doubt}`
    return {
      ...nothingYet('create', why),
      requests: [requestOf('segments.create', fieldsFor('segments.create', input)), ...shareRequests],
    }
  }
  const { segmentId: id } = plan
  const changed = [...plan.changed, ...(shareRequests.length > 0 ? ['shareWith'] : [])]
  const sharedWith = [...shares.still, ...(shareWith ?? [])]
  const sharedBefore = sharedWith.filter((partnerId) => !shares.send.includes(partnerId))
  const changes = [
    ...segmentChanges(plan, input, segment, remembered),
    ...(shareRequests.length > 0 ? [{ field: 'shareWith', from: sharedBefore, to: sharedWith }] : []),
  ]
  const kept =
    shareWith && shares.still.length > 0
      ? `still shared with ${shares.still.join(', ')}: a share cannot be taken back`
      : undefined
  const update = plan.update ? [requestOf('segments.update', { id, ...metadataOf(input) })] : []
  const outputs = withoutUndefined({
    ...segment,
    segmentId: id,
    changed: [...changed],
    stillSharedWith: shareWith && [...shares.still],
  })
  if (plan.action === 'unchanged' && shareRequests.length === 0) {
    return { action: 'leave', why: kept, requests: [], outputs: { ...outputs, action: 'unchanged' }, complete: true }
  }
  const isRefresh = plan.action === 'refreshed'
  const refresh = isRefresh ? [requestOf('segments.refresh', { id, segmentFileName: input.segmentFileName })] : []
  const requests = [...update, ...refresh, ...shareRequests]
  const planned = { changed, changes, requests, outputs: { segmentId: id } }
  if (!isRefresh) return { ...nothingYet('update', plan.action === 'unchanged' ? kept : undefined), ...planned }
  const why = input.refresh === 'always' ? '`refresh: always`' : 'its file differs from the one that it was built from'
  return { ...nothingYet('refresh', why), ...planned }
}
