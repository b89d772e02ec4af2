import { segmentOperations } from '../contract/segments.ts'
import type { JsonObject } from '../core/json.ts'
import type { Forecast } from '../pipeline/forecast.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import { awaitJob, patienceOf, readResource } from './await-job.ts'
import { decideSegment, metadataOf, type SegmentPlan, type WantedSegment } from './decide-segment.ts'
import { defineStep, type PlanDeps, type PlanQuestion, type StepRun } from './define-step.ts'
import { findOwnSegment } from './find-own-segment.ts'
import { ensureOutput, refreshInput } from './job-output-schema.ts'
import { memoryKey, remember } from './memory-key.ts'
import { afterRun, nothingYet } from './nothing-yet.ts'
import { readAfterJob } from './read-after-job.ts'
import { readIfThere } from './read-if-there.ts'
import { requestOf } from './request-of.ts'
import { noteBuild } from './segment-build.ts'
import { endWork, sendWork, workOn } from './segment-work.ts'
import { shown } from './shown.ts'
import { type IdleLook, untilIdle } from './until-idle.ts'
import { sendWrite } from './writes/send-write.ts'

const { 'segments.create': create } = segmentOperations

/** Creates the segment the first time; later updates its metadata, rebuilds it or leaves it alone, as needed. */
export const segmentsEnsure = defineStep({
  name: 'segments.ensure',
  summary: 'Create a segment, or bring the one there is up to date.',
  description:
    'It finds the segment by participantSegmentId, updates metadata that differs, and builds it again when its file changed. Fields that are left out are left alone.',
  input: {
    ...create.input,
    properties: {
      ...create.input.properties,
      refresh: refreshInput(
        'When to build an existing segment again: auto when its file is another than the one it was built from; always; never.',
      ),
    },
  },
  rules: create.rules,
  output: ensureOutput(
    'segments.create',
    'The fields that were not as the step says; empty where the segment was created.',
  ),
  startsJob: true,
  async run(step) {
    const { input, context, services } = step
    const { participantSegmentId } = input
    const key = memoryKey(context, services, participantSegmentId)
    const plan = await context.once('plan', (signal) => planAtRest(step, key, signal))
    const done = await carryOut(plan, step)
    const { segmentId } = done
    if (step.await !== false) await endWork(participantSegmentId, services)
    if (typeof segmentId === 'string') {
      const isBuilt = plan.action === 'created' || plan.action === 'refreshed'
      if (isBuilt) await noteBuild(done, step)
      const builtBefore = shown(done.segmentFileName) ?? (await services.stepMemory.get(key))?.segmentFileName
      const segmentFileName = isBuilt ? input.segmentFileName : builtBefore
      await remember(services, key, { segmentId, segmentFileName, metadata: metadataOf(input) })
    }
    return { ...done, action: plan.action, changed: [...plan.changed] }
  },
  plan: (question, deps) => (question.known ? forecast(question.known, question, deps) : afterRun(question)),
})

type Plan = SegmentPlan & {
  /** Another run may have sent the same request. */
  readonly mayBeApplied?: boolean
}

/** Decides once no job works on the segment: an earlier run may have stopped waiting for one. */
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
    const segment = await findOwnSegment(participantSegmentId, known, deps)
    const mayBeApplied = work.state === 'unknown'
    return { state: 'idle', value: { ...decideSegment(input, segment, known), ...(mayBeApplied && { mayBeApplied }) } }
  }
  return untilIdle(look, patienceOf(step), deps)
}

async function carryOut(plan: Plan, step: StepRun<WantedSegment>): Promise<JsonObject> {
  const { input, context, services } = step
  const maxWaitMs = patienceOf(step)
  const { participantSegmentId } = input
  const { mayBeApplied = false } = plan
  if (plan.action === 'created') {
    const { refresh: _refresh, ...fields } = input
    const write = { operation: 'segments.create', input: fields, maxWaitMs, mayBeApplied } as const
    const send = () => sendWrite(write, step)
    const written = await sendWork(participantSegmentId, send, step)
    return awaitJob(written, step)
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
  const send = () => sendWrite(write, step)
  const written = await sendWork(participantSegmentId, send, step)
  const outputs = await awaitJob(written, step)
  return { segmentId: id, ...outputs, ...(written.repeated && { repeated: true }) }
}

async function forecast(
  input: WantedSegment,
  place: Pick<PlanQuestion<WantedSegment>, 'pipeline' | 'stepId'>,
  deps: PlanDeps,
): Promise<Forecast> {
  const remembered = await deps.stepMemory.get(memoryKey(place, deps, input.participantSegmentId))
  const segment = await findOwnSegment(input.participantSegmentId, remembered, deps)
  const plan = decideSegment(input, segment, remembered)
  if (plan.action === 'created') {
    const { refresh: _refresh, ...fields } = input
    const why = 'no segment has this participantSegmentId'
    return { ...nothingYet('create', why), requests: [requestOf('segments.create', fields)] }
  }
  const { segmentId: id, changed } = plan
  const update = plan.update ? [requestOf('segments.update', { id, ...metadataOf(input) })] : []
  const outputs = { ...segment, segmentId: id, changed: [...changed] }
  switch (plan.action) {
    case 'unchanged':
      return { action: 'leave', requests: [], outputs: { ...outputs, action: 'unchanged' }, complete: true }
    case 'updated':
      return { ...nothingYet('update'), changed, requests: update, outputs: { segmentId: id } }
    case 'refreshed': {
      const refresh = requestOf('segments.refresh', { id, segmentFileName: input.segmentFileName })
      const why =
        input.refresh === 'always' ? '`refresh: always`' : 'its file is another than the one it was built from'
      return { ...nothingYet('refresh', why), changed, requests: [...update, refresh], outputs: { segmentId: id } }
    }
  }
}
