import type { Segment } from '../contract/segments.ts'
import { failedError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { findSegments, isOfOther } from './find-segments.ts'
import { MadeOtherError } from './made-other.ts'
import { readIfThere } from './read-if-there.ts'
import { type Sought, unlisted } from './unlisted.ts'
import type { ReconcileDeps } from './writes/reconciler.ts'

/**
 * Finds the segment of a step: the remembered segment by its id. If nothing is remembered, or the segment is gone,
 * searches the list (decision 138), then the segments that this state made and that no list shows. Throws
 * `segment-ambiguous`.
 */
export async function findOwnSegment(
  participantSegmentId: string,
  remembered: JsonObject | undefined,
  deps: ReconcileDeps,
): Promise<Sought<Segment>> {
  const { api, signal } = deps
  const { segmentId: id } = remembered ?? {}
  if (typeof id === 'string') {
    const segment = await readIfThere(() => api.segments.get({ id }, { signal }))
    if (segment && !(await isOfOther(segment, participantSegmentId, deps))) return { state: 'there', thing: segment }
  }
  const [segment, ...more] = await findSegments(participantSegmentId, deps)
  if (!segment) return unlistedSegment(participantSegmentId, deps)
  if (more.length === 0) return { state: 'there', thing: segment }
  throw failedError(
    'segment-ambiguous',
    `there are ${more.length + 1} segments with participantSegmentId "${participantSegmentId}"`,
    'delete those that the step should not use; if another participant shares one with you, it cannot be deleted: give the step another participantSegmentId',
  )
}

/** Finds a segment that no list shows. Its identifier is unique, so the service would refuse another creation. */
function unlistedSegment(name: string, deps: ReconcileDeps): Promise<Sought<Segment>> {
  const read = async ({ id }: { id: string }) => {
    const segment = await deps.api.segments.get({ id }, { signal: deps.signal })
    if (await isOfOther(segment, name, deps))
      throw new MadeOtherError(`segment ${id}`, 'one with a different identifier')
    return segment
  }
  return unlisted({ kind: 'segment', name, listed: [] }, () => true, read, deps)
}
