import type { InputOf } from '../../contract/operations.ts'
import type { Segment } from '../../contract/segments.ts'
import type { JsonObject } from '../../core/json.ts'
import { isKeptAs } from '../made-other.ts'
import { readIfThere } from '../read-if-there.ts'
import { shown } from '../shown.ts'
import type { Finding, LookupDeps, Reconciler } from './reconciler.ts'

type Request = InputOf<'segments.refresh'>

/** A segment shows the file that it was last built from, so only a refresh with another file is visible. */
export const segmentsRefreshReconciler: Reconciler<'segments.refresh'> = {
  lookedFor: ({ id, segmentFileName }) =>
    segmentFileName === undefined ? `a refresh of segment ${id}` : `${segmentFileName} as the file of segment ${id}`,
  async before({ id }, deps) {
    return { segmentFileName: shown((await readSegment(id, deps))?.segmentFileName) ?? null }
  },
  async look({ request, before, confirmed }, deps) {
    return decideSegmentsRefresh(request, await readSegment(request.id, deps), { before, confirmed })
  },
  refusal: () => 'lookAndSendAgain',
}

export function decideSegmentsRefresh(
  { id, segmentFileName }: Request,
  segment: Segment | undefined,
  { before, confirmed }: { before: JsonObject; confirmed: boolean },
): Finding {
  if (!segment) return { state: 'notDone' }
  const canBeSeen =
    segmentFileName !== undefined &&
    before.segmentFileName !== null &&
    !isKeptAs(String(before.segmentFileName), segmentFileName)
  if (!canBeSeen) return confirmed ? { state: 'done', answer: { segmentId: id } } : { state: 'notDone' }
  return isKeptAs(segment.segmentFileName ?? '', segmentFileName)
    ? { state: 'done', answer: { segmentId: id } }
    : { state: 'notVisible' }
}

function readSegment(id: string, { api, signal }: LookupDeps): Promise<Segment | undefined> {
  return readIfThere(() => api.segments.get({ id }, { signal }))
}
