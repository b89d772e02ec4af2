import type { Segment } from '../contract/segments.ts'
import { AudienceError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { findSegments } from './find-segments.ts'
import { readIfThere } from './read-if-there.ts'
import { shown } from './shown.ts'
import type { LookupDeps } from './writes/reconciler.ts'

/**
 * Finds the segment of a step: the remembered segment by its id. If nothing is remembered, or it is gone, searches the
 * list (decision 138). Throws `segment-ambiguous`.
 */
export async function findOwnSegment(
  participantSegmentId: string,
  remembered: JsonObject | undefined,
  deps: LookupDeps,
): Promise<Segment | undefined> {
  const { api, signal } = deps
  const { segmentId: id } = remembered ?? {}
  if (typeof id === 'string') {
    const segment = await readIfThere(() => api.segments.get({ id }, { signal }))
    const identifier = shown(segment?.participantSegmentId) ?? participantSegmentId
    if (segment && identifier === participantSegmentId) return segment
  }
  const [segment, ...more] = await findSegments(participantSegmentId, deps)
  if (more.length === 0) return segment
  throw new AudienceError({
    code: 'segment-ambiguous',
    kind: 'failed',
    message: `there are ${more.length + 1} segments with participantSegmentId "${participantSegmentId}"`,
    hint: 'delete those that are not meant',
  })
}
