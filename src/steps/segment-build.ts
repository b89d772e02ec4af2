import type { Segment } from '../contract/segments.ts'
import type { JsonObject } from '../core/json.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import type { StepPlanDeps, StepRun, StepServices } from './define-step.ts'
import { remember } from './memory-key.ts'

/** Remembers that a segment was rebuilt, so that other steps and pipelines refresh its matches, too. */
export async function noteBuild(
  outputs: JsonObject,
  { context, services }: Pick<StepRun, 'context' | 'services'>,
): Promise<void> {
  const { segmentId, jobId } = outputs
  if (typeof segmentId !== 'string') return
  const build = typeof jobId === 'string' ? jobId : `${context.runId}/${context.stepKey}/${context.attempt}`
  await remember(services, buildKey(segmentId, services), { build })
}

/**
 * Identifies a build of a segment: the last build that we know of, and the file that the service shows, in case someone
 * else built the segment. Undefined if neither is known.
 */
export async function buildOf(
  segment: Pick<Segment, 'id' | 'segmentFileName'>,
  services: Pick<StepPlanDeps, 'stepMemory' | 'profile'>,
): Promise<string | undefined> {
  const build = (await services.stepMemory.get(buildKey(segment.id, services)))?.build
  const parts = [build, segment.segmentFileName].filter((part) => typeof part === 'string')
  return parts.length === 0 ? undefined : parts.join(' ')
}

/** The key does not name a pipeline, because any pipeline may match the segment. */
function buildKey(segmentId: string, { profile }: Pick<StepServices, 'profile'>): MemoryKey {
  return { profile, pipeline: '', step: `segment ${segmentId}` }
}
