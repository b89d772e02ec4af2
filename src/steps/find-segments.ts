import type { Segment } from '../contract/segments.ts'
import { isKeptAs } from './made-other.ts'
import { readIfThere } from './read-if-there.ts'
import { shown } from './shown.ts'
import type { LookupDeps, ReconcileDeps } from './writes/reconciler.ts'

/** An identifier that no segment has. If a service still lists segments for it, the service ignores the filter. */
const NOBODY = 'audience-pipelines: no segment has this identifier'

/**
 * The caller's own segments with the given identifier: at most one. A list also has segments that others share with the
 * caller (decision 52), and these may have the same identifier. A list does not show the owner: only the known maker,
 * or reading the segment, does.
 */
export async function findSegments(participantSegmentId: string, deps: ReconcileDeps): Promise<Segment[]> {
  const listed = await listSegments(participantSegmentId, deps)
  const known = await those(listed, ({ id }) => isKnown(id, participantSegmentId, deps))
  return known.length > 0 ? known : those(listed, (segment) => isOwn(segment, deps))
}

/**
 * The caller's own segments whose identifier may be the given one in the service's own form, except segments that this
 * state asked for under another identifier. Reads the whole list, because filters need not know that form.
 */
export async function findLikeSegments(participantSegmentId: string, deps: ReconcileDeps): Promise<Segment[]> {
  const listed = await Array.fromAsync(deps.api.items('segments.list', {}, { signal: deps.signal }))
  const like = listed.filter((segment) => isKeptAs(shown(segment.participantSegmentId) ?? '', participantSegmentId))
  return those(like, async (segment) => {
    const maker = await deps.made.byId('segment', segment.id)
    return maker ? maker.name === participantSegmentId : isOwn(segment, deps)
  })
}

/** Whether a run of this state asked for the segment. */
async function isKnown(id: string, participantSegmentId: string, { made }: ReconcileDeps): Promise<boolean> {
  const maker = await made.byId('segment', id)
  return maker?.found === false && maker.name === participantSegmentId
}

/**
 * Whether a segment may be the caller's own. The segments of others have no name unless it is shared (decisions 37 and
 * 52), and reading them may answer 404 (decision 9).
 */
async function isOwn(listed: Segment, { api, signal }: LookupDeps): Promise<boolean> {
  if (shown(listed.segmentName) === undefined) return false
  const read = await readIfThere(() => api.segments.get({ id: listed.id }, { signal }))
  const same = (field: 'segmentName' | 'participantSegmentId') =>
    shown(read?.[field]) === undefined || shown(listed[field]) === undefined || read?.[field] === listed[field]
  return (
    read?.id === listed.id &&
    shown(read.segmentName) !== undefined &&
    same('segmentName') &&
    same('participantSegmentId')
  )
}

/**
 * All listed segments with an identifier, including those of others. A service need not show the identifier (decision
 * 48) and need not apply the filter. A segment that does not show the identifier counts only if the filter demonstrably
 * works.
 */
export async function listSegments(participantSegmentId: string, deps: ReconcileDeps): Promise<Segment[]> {
  const listed = await list(participantSegmentId, deps)
  const exact = listed.filter((segment) => shown(segment.participantSegmentId) === participantSegmentId)
  if (exact.length > 0 || listed.length === 0) return exact
  if ((await list(NOBODY, deps)).length > 0) return []
  // The filter works if the list for `NOBODY` leaves out segments that are listed both before and after it. A segment
  // that is no longer listed may have been deleted.
  const stayed = new Set((await list(participantSegmentId, deps)).map(({ id }) => id))
  const left = listed.filter(({ id }) => stayed.has(id))
  return those(left, async (segment) => !(await isOfOther(segment, participantSegmentId, deps)))
}

/**
 * Whether a segment has another identifier, or is known to have one although it shows none (decision 153). The segment
 * of a step may show its identifier in another form.
 */
export async function isOfOther(
  segment: Segment,
  participantSegmentId: string,
  { made }: Pick<ReconcileDeps, 'made'>,
): Promise<boolean> {
  const identifier = shown(segment.participantSegmentId)
  if (identifier === participantSegmentId) return false
  if (identifier !== undefined && !isKeptAs(identifier, participantSegmentId)) return true
  const asked = (await made.byId('segment', segment.id))?.name
  return asked !== participantSegmentId && (identifier ?? asked) !== undefined
}

function list(participantSegmentId: string, { api, signal }: LookupDeps): Promise<Segment[]> {
  return Array.fromAsync(api.items('segments.list', { participantSegmentId }, { signal }))
}

async function those(segments: readonly Segment[], test: (segment: Segment) => Promise<boolean>): Promise<Segment[]> {
  const results = await Promise.all(segments.map(test))
  return segments.filter((_, index) => results[index])
}
