import type { Segment } from '../contract/segments.ts'
import type { StepContext } from '../core/engine.ts'
import type { JsonObject } from '../core/json.ts'
import type { LedgerKey } from '../core/ledger.ts'
import { remember } from './ledger-key.ts'
import type { StepServices } from './runnable-step-type.ts'

/**
 * Remembers that a segment was built anew, so that the matches of it are refreshed, whichever step and pipeline does
 * either.
 */
export async function noteBuild(outputs: JsonObject, context: StepContext, services: StepServices): Promise<void> {
  const { segmentId, jobId } = outputs
  if (typeof segmentId !== 'string') return
  const build = typeof jobId === 'string' ? jobId : `${context.runId}/${context.stepKey}/${context.attempt}`
  await remember(services, buildKey(segmentId, services), { build })
}

/**
 * What tells one build of a segment from the next: the last that we know of, and the file that the service shows, should
 * somebody else have built it. Undefined where neither is known.
 */
export function buildOf(
  segment: Pick<Segment, 'id' | 'segmentFileName'>,
  services: Pick<StepServices, 'ledger' | 'profile'>,
): string | undefined {
  const build = services.ledger.get(buildKey(segment.id, services))?.build
  const parts = [build, segment.segmentFileName].filter((part) => typeof part === 'string')
  return parts.length === 0 ? undefined : parts.join(' ')
}

/** Of no pipeline, because any of them may match the segment. */
function buildKey(segmentId: string, { profile }: Pick<StepServices, 'profile'>): LedgerKey {
  return { profile, pipeline: '', step: `segment ${segmentId}` }
}
