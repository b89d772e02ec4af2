import type { Segment } from '../contract/segments.ts'
import { shown } from './shown.ts'
import type { LookupDeps, ReconcileDeps } from './writes/reconciler.ts'

/** No segment has this identifier; a service that still answers with segments ignores the filter. */
const NOBODY = 'audience-pipelines: no segment has this identifier'

/**
 * The segments with the caller's own identifier: at most one. A service need not show the identifier (decision 48) and
 * need not apply the filter. A segment that does not show the identifier counts only if the filter is seen to work.
 */
export async function findSegments(participantSegmentId: string, deps: ReconcileDeps): Promise<Segment[]> {
  const listed = await list(participantSegmentId, deps)
  const exact = listed.filter((segment) => shown(segment.participantSegmentId) === participantSegmentId)
  if (exact.length > 0 || listed.length === 0) return exact
  if ((await list(NOBODY, deps)).length > 0) return []
  // The filter left out what is there before and after. What is gone may only have been deleted.
  const stayed = new Set((await list(participantSegmentId, deps)).map(({ id }) => id))
  const left = listed.filter(({ id }) => stayed.has(id))
  const areOther = await Promise.all(left.map((segment) => isOfOther(segment, participantSegmentId, deps)))
  return left.filter((_, index) => !areOther[index])
}

/** Whether a segment that does not show its identifier is known to have another one (decision 153). */
export async function isOfOther(
  segment: Segment,
  participantSegmentId: string,
  { made }: Pick<ReconcileDeps, 'made'>,
): Promise<boolean> {
  const identifier = shown(segment.participantSegmentId) ?? (await made.byId('segment', segment.id))?.name
  return identifier !== undefined && identifier !== participantSegmentId
}

function list(participantSegmentId: string, { api, signal }: LookupDeps): Promise<Segment[]> {
  return Array.fromAsync(api.items('segments.list', { participantSegmentId }, { signal }))
}
