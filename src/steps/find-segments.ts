import type { Segment } from '../contract/segments.ts'
import type { LookMeans } from './reconcile/reconciler.ts'

/** The segments of one's own identifier: one at the most, unless the service ignores the filter. */
export async function findSegments(participantSegmentId: string, { api, signal }: LookMeans): Promise<Segment[]> {
  return Array.fromAsync(api.items('segments.list', { participantSegmentId }, { signal }))
}
