import type { Segment } from '../contract/segments.ts'
import { failedError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { MadeThing } from '../state/made-things.ts'
import { findSegments, isOfOther } from './find-segments.ts'
import { MadeOtherError } from './made-other.ts'
import { readIfThere } from './read-if-there.ts'
import { unlisted } from './unlisted.ts'
import type { ReconcileDeps } from './writes/reconciler.ts'

/** A step's segment, or what is known about it before the service shows it. */
export type OwnSegment =
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly segment: Segment }
  /** The job of another step is making it. */
  | { readonly state: 'underWay'; readonly jobId: string }
  /** A step asked for it, and nobody knows whether it was made. */
  | { readonly state: 'unknown'; readonly maker: MadeThing }

/**
 * Finds the segment of a step: the remembered segment by its id. If nothing is remembered, or the segment is gone,
 * searches the list (decision 138), then what this state made and no list shows. Throws `segment-ambiguous`.
 */
export async function findOwnSegment(
  participantSegmentId: string,
  remembered: JsonObject | undefined,
  deps: ReconcileDeps,
): Promise<OwnSegment> {
  const { api, signal } = deps
  const { segmentId: id } = remembered ?? {}
  if (typeof id === 'string') {
    const segment = await readIfThere(() => api.segments.get({ id }, { signal }))
    if (segment && !(await isOfOther(segment, participantSegmentId, deps))) return { state: 'found', segment }
  }
  const [segment, ...more] = await findSegments(participantSegmentId, deps)
  if (!segment) return unlistedSegment(participantSegmentId, deps)
  if (more.length === 0) return { state: 'found', segment }
  throw failedError(
    'segment-ambiguous',
    `there are ${more.length + 1} segments with participantSegmentId "${participantSegmentId}"`,
    'delete those that the step should not use; if another participant shares one with you, it cannot be deleted: give the step another participantSegmentId',
  )
}

/** Finds a segment that no list shows. Its identifier is unique, so the service would refuse another creation. */
async function unlistedSegment(name: string, deps: ReconcileDeps): Promise<OwnSegment> {
  const read = async ({ id }: { readonly id: string }) => {
    const segment = await deps.api.segments.get({ id }, { signal: deps.signal })
    if (await isOfOther(segment, name, deps))
      throw new MadeOtherError(`segment ${id}`, 'one with a different identifier')
    return segment
  }
  const hidden = await unlisted({ kind: 'segment', name, listed: [] }, () => true, read, deps)
  if (hidden.state === 'there') return { state: 'found', segment: hidden.thing }
  return hidden
}
