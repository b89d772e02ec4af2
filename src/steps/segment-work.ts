import { ApiError } from '../adapter/api-error.ts'
import type { StepContext } from '../core/engine.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import type { StepPlanDeps, StepRun, StepServices } from './define-step.ts'
import { remember } from './memory-key.ts'
import { hasEnded, readJob } from './read-job.ts'
import type { LookupDeps } from './writes/reconciler.ts'
import type { Written } from './writes/send-write.ts'

/**
 * The work in progress on a segment, as far as it is remembered. A segment that is being built is not visible anywhere,
 * and if the service refuses a second request for it, the text of the refusal proves nothing (decision 144). So its job
 * is remembered until the job has ended.
 */
export type SegmentWork =
  | { readonly state: 'none' }
  /** Its job has not ended. */
  | { readonly state: 'busy' }
  /** It ended; `segmentId` is the segment that it made, if the job says so. */
  | { readonly state: 'ended'; readonly segmentId: string | undefined }
  /** Another run was about to send a request, and it is unknown whether it did. `at`: milliseconds since 1970. */
  | { readonly state: 'unknown'; readonly at: number }

export async function workOn(
  participantSegmentId: string,
  { runId }: Pick<StepContext, 'runId'>,
  deps: Pick<StepPlanDeps, 'stepMemory' | 'profile'> & LookupDeps,
): Promise<SegmentWork> {
  const entry = await deps.stepMemory.get(workKey(participantSegmentId, deps))
  if (typeof entry?.jobId === 'string') {
    const job = await readJob(entry.jobId, deps)
    if (!job) return { state: 'none' }
    return hasEnded(job) ? { state: 'ended', segmentId: job.segmentId } : { state: 'busy' }
  }
  const { runId: by, at } = entry ?? {}
  return typeof by === 'string' && by !== runId && typeof at === 'number' ? { state: 'unknown', at } : { state: 'none' }
}

/**
 * Sends a request for work on a segment. The request is remembered before it is sent, and stays remembered until
 * `endWork`.
 */
export async function sendWork(
  participantSegmentId: string,
  send: () => Promise<Written>,
  { context: { runId, signal }, services }: Pick<StepRun, 'context' | 'services'>,
): Promise<Written> {
  const key = workKey(participantSegmentId, services)
  const noteNow = () => remember(services, key, { runId, at: services.clock.now() })
  await noteNow()
  try {
    const written = await send()
    const { id: jobId } = written.answer
    if (typeof jobId === 'string') await remember(services, key, { jobId })
    return written
  } catch (error) {
    const mayBeDone = !(error instanceof ApiError) || error.request.outcome === 'unknown'
    if (!mayBeDone) await endWork(participantSegmentId, services)
    // The request may have been sent more than once, and the last time counts. A process that is being stopped notes
    // nothing, because it may no longer own the run.
    else if (!signal.aborted) await noteNow()
    throw error
  }
}

export async function endWork(participantSegmentId: string, services: StepServices): Promise<void> {
  const key = workKey(participantSegmentId, services)
  if (await services.stepMemory.get(key)) await remember(services, key, {})
}

/** The key does not name a pipeline, because the identifier is unique among the caller's segments. */
function workKey(participantSegmentId: string, { profile }: Pick<StepServices, 'profile'>): MemoryKey {
  return { profile, pipeline: '', step: `work on ${participantSegmentId}` }
}
