import type { InputOf } from '../../contract/operations.ts'
import type { Segment } from '../../contract/segments.ts'
import type { MadeThing } from '../../state/made-things.ts'
import { findSegments, listSegments } from '../find-segments.ts'
import { isKeptAs } from '../made-other.ts'
import { makersOf } from '../makers-of.ts'
import { shown } from '../shown.ts'
import { type Finding, idsIn, type ReconcileDeps, type Reconciler } from './reconciler.ts'

type Request = InputOf<'segments.create'>

/**
 * The participantSegmentId is unique among the caller's segments, including the invisible ones. A segment that has it
 * and did not exist before was made by the request (decision 43).
 */
export const segmentsCreate: Reconciler<'segments.create'> = {
  lookedFor: ({ participantSegmentId }) =>
    `a segment with participantSegmentId ${JSON.stringify(participantSegmentId)}`,
  async before({ participantSegmentId }, deps) {
    // Others' segments are not new either, should they become readable.
    const listed = await listSegments(participantSegmentId, deps)
    const isTaken = listed.length > 0 && (await findSegments(participantSegmentId, deps)).length > 0
    return { ids: listed.map(({ id }) => id), isTaken }
  },
  async look({ request, before, confirmed, key, takesOthers }, deps) {
    const found = await findSegments(request.participantSegmentId, deps)
    const other = takesOthers || confirmed ? undefined : await otherRequest(request, found, { key, deps })
    // The identifier is unique, so this request made nothing.
    if (other) {
      const why = `step "${other.step}" of run ${other.runId} has asked for a segment with it, too`
      return { state: 'ambiguous', why }
    }
    return decideSegmentsCreate(request, found, { idsBefore: idsIn(before), confirmed })
  },
  // If the identifier was taken before, no request took effect.
  refusal: (before) => (idsIn(before).length === 0 || before.isTaken === false ? 'lookAndSendAgain' : 'final'),
}

/** Another request of this state that made the segment, or may have. */
async function otherRequest(
  { participantSegmentId: name }: Request,
  found: readonly Segment[],
  { key, deps }: { readonly key: string | undefined; readonly deps: ReconcileDeps },
): Promise<MadeThing | undefined> {
  const makers = await makersOf(found, { kind: 'segment', name, request: key }, deps)
  const known = found.flatMap(({ id }) => makers.of(id) ?? [])
  return [...known, ...makers.underWay, ...makers.unnamed].find(
    ({ request }) => request !== undefined && request !== key,
  )
}

export function decideSegmentsCreate(
  request: Request,
  found: readonly Segment[],
  { idsBefore, confirmed }: { idsBefore: readonly string[]; confirmed: boolean },
): Finding {
  const [segment, ...more] = confirmed ? found : found.filter(({ id }) => !idsBefore.includes(id))
  if (!segment) return { state: 'notVisible' }
  if (more.length > 0) return { state: 'ambiguous', why: `there are ${more.length + 1} of them` }
  const other = FIELDS.filter((field) => !isKeptAs(shown(segment[field]) ?? request[field], request[field]))
  if (confirmed || other.length === 0) return { state: 'done', answer: { segmentId: segment.id } }
  return { state: 'ambiguous', why: `segment ${segment.id} has it, but with another ${other.join(' and ')}` }
}

/**
 * Fields that tell a segment from one that someone else made under the same identifier; some services do not show them.
 */
const FIELDS = ['segmentName', 'segmentFileName', 'uploadSignal', 'resultContent'] as const
