import { segmentOperations } from '../contract/segments.ts'
import type { StepContext, StepRequest } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { awaitJob, patienceOf, readResource } from './await-job.ts'
import { decideSegment, metadataOf, type SegmentPlan } from './decide-segment.ts'
import { findSegments } from './find-segments.ts'
import { ledgerKey, remember } from './ledger-key.ts'
import type { RunnableStepType, StepServices } from './runnable-step-type.ts'
import { noteBuild } from './segment-build.ts'
import {
  type SegmentsEnsureInput,
  segmentsEnsureInput,
  segmentsEnsureOutput,
  segmentsEnsureRules,
} from './segments-ensure-schema.ts'
import { sendWrite } from './send-write.ts'

const { 'segments.create': create } = segmentOperations

/** Creates the segment the first time; later updates its metadata, builds it again, or leaves it, as is needed. */
export const segmentsEnsure: RunnableStepType = {
  name: 'segments.ensure',
  summary: 'Create a segment, or bring the one there is up to date.',
  description:
    'It finds the segment by participantSegmentId, updates metadata that differs, and builds it again when its file changed. Fields that are left out are left alone.',
  input: segmentsEnsureInput,
  check: (input) => violationsOf(validators['segments.ensure'], input, segmentsEnsureRules),
  output: segmentsEnsureOutput,
  startsJob: true,
  async run(context, request, services) {
    // The engine has checked the input against the schema.
    const input = request.input as unknown as SegmentsEnsureInput
    const key = ledgerKey(context, services, input.participantSegmentId)
    const plan = await context.once('plan', async (signal): Promise<SegmentPlan> => {
      const segment = await findOwn(input.participantSegmentId, { ...services, signal })
      return decideSegment(input, segment, services.ledger.get(key))
    })
    const done = await carryOut(plan, input, context, request, services)
    const { segmentId } = done
    if (typeof segmentId === 'string') {
      const isBuilt = plan.action === 'created' || plan.action === 'refreshed'
      if (isBuilt) await noteBuild(done, context, services)
      const builtBefore = done.segmentFileName ?? services.ledger.get(key)?.segmentFileName
      const segmentFileName = isBuilt ? input.segmentFileName : builtBefore
      await remember(services, key, { segmentId, segmentFileName, metadata: metadataOf(input) })
    }
    return { ...done, action: plan.action, changed: plan.changed }
  },
}

async function carryOut(
  plan: SegmentPlan,
  input: SegmentsEnsureInput,
  context: StepContext,
  request: StepRequest,
  services: StepServices,
): Promise<JsonObject> {
  const patienceMs = patienceOf(request)
  if (plan.action === 'created') {
    const { refresh: _refresh, ...fields } = input
    const write = { operation: 'segments.create', input: fields, patienceMs, acceptsExisting: true } as const
    const { answer } = await sendWrite(write, context, services)
    return awaitJob('segments.create', answer, context, request, services)
  }
  const { segmentId: id, action, update } = plan
  if (update) {
    await context.once('update', async (signal) => {
      await services.api.segments.update({ id, ...metadataOf(input) }, { signal })
      return { id }
    })
  }
  if (action !== 'refreshed') return { segmentId: id, ...(await readResource(create.job, id, context, services)) }
  const { answer, repeated } = await sendWrite(
    {
      operation: 'segments.refresh',
      input: { id, segmentFileName: input.segmentFileName },
      name: 'refresh.',
      patienceMs,
      acceptsExisting: true,
    },
    context,
    services,
  )
  const outputs = await awaitJob('segments.refresh', answer, context, request, services, 'refresh.')
  return { segmentId: id, ...outputs, ...(repeated && { repeated }) }
}

async function findOwn(participantSegmentId: string, means: Parameters<typeof findSegments>[1]) {
  const [segment, ...more] = await findSegments(participantSegmentId, means)
  if (more.length === 0) return segment
  throw new AudienceError({
    code: 'segment-ambiguous',
    kind: 'failed',
    message: `there are ${more.length + 1} segments with participantSegmentId "${participantSegmentId}"`,
    hint: 'delete those that are not meant',
  })
}
