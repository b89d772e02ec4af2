import { segmentOperations } from '../contract/segments.ts'
import { withoutServiceLimits } from '../contract/validate-input.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import type { JsonObject } from '../core/json.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { awaitJob, patienceOf, readResource } from './await-job.ts'
import { decideSegment, metadataOf, type SegmentPlan } from './decide-segment.ts'
import { findOwnSegment } from './find-own-segment.ts'
import { memoryKey, remember } from './memory-key.ts'
import { readAfterJob } from './read-after-job.ts'
import { readIfThere } from './read-if-there.ts'
import type { RunnableStepType, StepServices } from './runnable-step-type.ts'
import { noteBuild } from './segment-build.ts'
import { endWork, sendWork, workOn } from './segment-work.ts'
import {
  type SegmentsEnsureInput,
  segmentsEnsureInput,
  segmentsEnsureOutput,
  segmentsEnsureRules,
} from './segments-ensure-schema.ts'
import { shown } from './shown.ts'
import { type IdleLook, untilIdle } from './until-idle.ts'
import type { LookupDeps } from './writes/reconciler.ts'
import { sendWrite } from './writes/send-write.ts'

const { 'segments.create': create } = segmentOperations

/** Creates the segment the first time; later updates its metadata, rebuilds it or leaves it alone, as needed. */
export const segmentsEnsure: RunnableStepType = {
  name: 'segments.ensure',
  summary: 'Create a segment, or bring the one there is up to date.',
  description:
    'It finds the segment by participantSegmentId, updates metadata that differs, and builds it again when its file changed. Fields that are left out are left alone.',
  input: segmentsEnsureInput,
  check: (input) =>
    withoutServiceLimits(
      violationsOf(validators['segments.ensure'], input, segmentsEnsureRules, segmentsEnsureInput),
      segmentsEnsureInput,
    ),
  output: segmentsEnsureOutput,
  startsJob: true,
  async run(context, request, services) {
    // The engine has checked the input against the schema.
    const input = request.input as unknown as SegmentsEnsureInput
    const { participantSegmentId } = input
    const key = memoryKey(context, services, participantSegmentId)
    const plan = await context.once('plan', (signal) =>
      planAtRest(input, services.stepMemory.get(key), context, { ...services, signal }, patienceOf(request)),
    )
    const done = await carryOut(plan, input, context, request, services)
    const { segmentId } = done
    if (request.await !== false) await endWork(participantSegmentId, services)
    if (typeof segmentId === 'string') {
      const isBuilt = plan.action === 'created' || plan.action === 'refreshed'
      if (isBuilt) await noteBuild(done, context, services)
      const builtBefore = shown(done.segmentFileName) ?? services.stepMemory.get(key)?.segmentFileName
      const segmentFileName = isBuilt ? input.segmentFileName : builtBefore
      await remember(services, key, { segmentId, segmentFileName, metadata: metadataOf(input) })
    }
    return { ...done, action: plan.action, changed: plan.changed }
  },
}

type Plan = SegmentPlan & {
  /** Another run may have sent the same request. */
  readonly mayBeApplied?: boolean
}

/** Decides once no job works on the segment: an earlier run may have stopped waiting for one. */
function planAtRest(
  input: SegmentsEnsureInput,
  remembered: JsonObject | undefined,
  context: StepContext,
  deps: StepServices & LookupDeps,
  maxWaitMs: number,
): Promise<Plan> {
  const { participantSegmentId } = input
  const { api, signal } = deps
  const look = async (): Promise<IdleLook<Plan>> => {
    const work = await workOn(participantSegmentId, context, deps)
    if (work.state === 'busy') return { state: 'busy', what: `segment "${participantSegmentId}"` }
    const madeId = work.state === 'ended' ? work.segmentId : undefined
    if (madeId !== undefined) {
      await readIfThere(() => readAfterJob(() => api.segments.get({ id: madeId }, { signal }), deps))
    }
    const known = madeId === undefined || remembered?.segmentId === madeId ? remembered : { segmentId: madeId }
    const segment = await findOwnSegment(participantSegmentId, known, deps)
    const mayBeApplied = work.state === 'unknown'
    return { state: 'idle', value: { ...decideSegment(input, segment, known), ...(mayBeApplied && { mayBeApplied }) } }
  }
  return untilIdle(look, maxWaitMs, deps)
}

async function carryOut(
  plan: Plan,
  input: SegmentsEnsureInput,
  context: StepContext,
  request: StepRequest,
  services: StepServices,
): Promise<JsonObject> {
  const maxWaitMs = patienceOf(request)
  const { participantSegmentId } = input
  const { mayBeApplied = false } = plan
  if (plan.action === 'created') {
    const { refresh: _refresh, ...fields } = input
    const write = { operation: 'segments.create', input: fields, maxWaitMs, mayBeApplied } as const
    const send = () => sendWrite(write, context, services)
    const written = await sendWork(participantSegmentId, send, context, services)
    return awaitJob(written, context, request, services)
  }
  const { segmentId: id, action, update } = plan
  if (update) {
    await context.once('update', async (signal) => {
      await services.api.segments.update({ id, ...metadataOf(input) }, { signal })
      return { id }
    })
  }
  if (action !== 'refreshed') return { segmentId: id, ...(await readResource(create.job, id, context, services)) }
  const { segmentFileName } = input
  const write = {
    operation: 'segments.refresh',
    input: { id, segmentFileName },
    name: 'refresh.',
    maxWaitMs,
    mayBeApplied,
  } as const
  const send = () => sendWrite(write, context, services)
  const written = await sendWork(participantSegmentId, send, context, services)
  const outputs = await awaitJob(written, context, request, services)
  return { segmentId: id, ...outputs, ...(written.repeated && { repeated: true }) }
}
