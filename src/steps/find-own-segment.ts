import type { Segment } from '../contract/segments.ts'
import { AudienceError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { findSegments, isOfOther } from './find-segments.ts'
import { readIfThere } from './read-if-there.ts'
import type { ReconcileDeps } from './writes/reconciler.ts'

/**
 * Finds the segment of a step: the remembered segment by its id. If nothing is remembered, or it is gone, searches the
 * list (decision 138). Throws `segment-ambiguous`.
 */
export async function findOwnSegment(
  participantSegmentId: string,
  remembered: JsonObject | undefined,
  deps: ReconcileDeps,
): Promise<Segment | undefined> {
  const { api, signal } = deps
  const { segmentId: id } = remembered ?? {}
  if (typeof id === 'string') {
    const segment = await readIfThere(() => api.segments.get({ id }, { signal }))
    if (segment && !(await isOfOther(segment, participantSegmentId, deps))) return segment
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
