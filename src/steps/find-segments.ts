import type { Segment } from '../contract/segments.ts'
import { shown } from './shown.ts'
import type { LookupDeps } from './writes/reconciler.ts'

/** No segment has this identifier; a service that still answers with segments ignores the filter. */
const NOBODY = 'audience-pipelines: no segment has this identifier'

/**
 * The segments with the caller's own identifier: at most one. A service need not show the identifier (decision 48) and
 * need not apply the filter. A segment that does not show the identifier counts only if the filter is seen to work.
 */
export async function findSegments(participantSegmentId: string, deps: LookupDeps): Promise<Segment[]> {
  const listed = await list(participantSegmentId, deps)
  const exact = listed.filter((segment) => shown(segment.participantSegmentId) === participantSegmentId)
  if (exact.length > 0 || listed.length === 0) return exact
  if ((await list(NOBODY, deps)).length > 0) return []
  // The filter left out what is there before and after. What is gone may only have been deleted.
  const stayed = new Set((await list(participantSegmentId, deps)).map(({ id }) => id))
  return listed.filter(({ id }) => stayed.has(id))
}

function list(participantSegmentId: string, { api, signal }: LookupDeps): Promise<Segment[]> {
  return Array.fromAsync(api.items('segments.list', { participantSegmentId }, { signal }))
}
