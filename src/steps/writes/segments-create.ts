import type { InputOf } from '../../contract/operations.ts'
import type { Segment } from '../../contract/segments.ts'
import { findLikeSegments, findSegments, listSegments } from '../find-segments.ts'
import { isKeptAs } from '../made-other.ts'
import { makersOf } from '../makers-of.ts'
import { shown } from '../shown.ts'
import type { KnownBefore } from './new-one.ts'
import { type Finding, idsIn, type LostWrite, type ReconcileDeps, type Reconciler } from './reconciler.ts'

type Request = InputOf<'segments.create'>

/**
 * The participantSegmentId is unique among the caller's segments, including the invisible ones. A segment that has it
 * and did not exist before was made by the request (decision 43).
 */
export const segmentsCreateReconciler: Reconciler<'segments.create'> = {
  lookedFor: ({ participantSegmentId }) =>
    `a segment with participantSegmentId ${JSON.stringify(participantSegmentId)}`,
  async before({ participantSegmentId }, deps) {
    // The ids include the segments of others, so that these do not count as new if they become readable.
    const listed = await listSegments(participantSegmentId, deps)
    const isTaken = listed.length > 0 && (await findSegments(participantSegmentId, deps)).length > 0
    return { ids: listed.map(({ id }) => id), isTaken }
  },
  async look(write, deps) {
    const { request, before, confirmed } = write
    const found = await findSegments(request.participantSegmentId, deps)
    // The identifier is unique, so this request made nothing.
    return (
      (await ofOtherRequest(found, write, deps)) ??
      decideSegmentsCreate(request, found, { idsBefore: idsIn(before), confirmed })
    )
  },
  async lookWider(write, deps) {
    const { request, confirmed, takesOthers = false } = write
    const like = await findLikeSegments(request.participantSegmentId, deps)
    // A segment with exactly this identifier has appeared since the last check.
    if (like.some((segment) => segment.participantSegmentId === request.participantSegmentId))
      return segmentsCreateReconciler.look(write, deps)
    return (await ofOtherRequest(like, write, deps)) ?? decideLike(request, like, { confirmed, takesOthers })
  },
  // If the identifier was taken before, no request took effect.
  refusal: (before) => (idsIn(before).length === 0 || before.isTaken === false ? 'lookAndSendAgain' : 'final'),
}

/** The question to ask if another request of this state made the segment, or may have made it. */
async function ofOtherRequest(
  found: readonly Segment[],
  { request: { participantSegmentId: name }, key, takesOthers = false, confirmed }: LostWrite<'segments.create'>,
  deps: ReconcileDeps,
): Promise<Finding | undefined> {
  if (takesOthers || confirmed) return undefined
  const makers = await makersOf(found, { kind: 'segment', name, request: key }, deps)
  const known = found.flatMap(({ id }) => makers.of(id) ?? [])
  const other = [...known, ...makers.underWay, ...makers.unnamed].find(
    ({ request }) => request !== undefined && request !== key,
  )
  if (!other) return undefined
  const why = `step "${other.step}" of run ${other.runId} has also asked for a segment with this identifier`
  return { state: 'ambiguous', why }
}

export function decideSegmentsCreate(
  request: Request,
  found: readonly Segment[],
  { idsBefore, confirmed }: KnownBefore,
): Finding {
  const [segment, ...more] = confirmed ? found : found.filter(({ id }) => !idsBefore.includes(id))
  if (!segment) return { state: 'notVisible' }
  if (more.length > 0) return { state: 'ambiguous', why: `there are ${more.length + 1} of them` }
  const other = FIELDS.filter((field) => !isKeptAs(shown(segment[field]) ?? request[field], request[field]))
  if (confirmed || other.length === 0) return { state: 'done', answer: { segmentId: segment.id } }
  return { state: 'ambiguous', why: `segment ${segment.id} has it, but with a different ${other.join(' and ')}` }
}

/**
 * No segment has exactly this identifier. One with a similar identifier may be the wanted one, if the service keeps
 * identifiers in its own form. A step that accepts a segment no matter who made it takes one that fits in all fields.
 */
function decideLike(
  request: Request,
  like: readonly Segment[],
  { confirmed, takesOthers }: { confirmed: boolean; takesOthers: boolean },
): Finding {
  const [segment, ...more] = like
  if (!segment) return { state: 'notVisible' }
  const fits = FIELDS.every((field) => isKeptAs(segment[field] ?? '', request[field]))
  const isTaken = confirmed || (takesOthers && fits)
  if (isTaken && more.length === 0) return { state: 'done', answer: { segmentId: segment.id } }
  const them = like.map(({ id, participantSegmentId }) => `segment ${id} has ${JSON.stringify(participantSegmentId)}`)
  return {
    state: 'ambiguous',
    why: `no segment has exactly this identifier, but ${them.join(' and ')}; some services keep identifiers in their own form`,
  }
}

/**
 * Fields that distinguish a segment from one that somebody else made under the same identifier. Some services do not
 * show them.
 */
const FIELDS = ['segmentName', 'segmentFileName', 'uploadSignal', 'resultContent'] as const
