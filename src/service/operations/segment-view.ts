import type { Segment } from '../../contract/segments.ts'
import type { Participant } from '../network/network.ts'
import type { VisibleSegment } from '../storage/stored-segment.ts'

/**
 * A segment as `caller` sees it: other participants see neither the owner's identifiers nor a name that was not shared
 * (decision 52).
 */
export function segmentView(segment: VisibleSegment, caller: Participant): Segment {
  const own = segment.owner === caller.id
  return {
    id: segment.id,
    segmentName: segment.nameShared ? segment.segmentName : '',
    participantSegmentId: own ? segment.participantSegmentId : null,
    segmentFileName: own ? segment.segmentFileName : null,
    uploadSignal: segment.uploadSignal,
    resultContent: segment.resultContent,
    uploadDateWithSignals: segment.uploadDateWithSignals,
    providerId: segment.providerId,
    cpm: segment.cpm,
    dataOwner: segment.dataOwner,
    category: segment.category,
    subCategory: segment.subCategory,
    description: segment.description,
    spi: segment.spi,
  }
}
