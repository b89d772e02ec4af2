import type { Match } from '../../contract/matches.ts'
import type { Participant } from '../network/network.ts'
import type { StoredMatch } from '../storage/stored-match.ts'

/** A match as `caller` sees it: the approver sees nothing of a segment whose name was not shared (decision 92). */
export function matchView(match: StoredMatch, caller: Participant): Match {
  const { segment } = match
  const isRequester = match.requester === caller.id
  const named = isRequester || match.shareSegmentName
  return {
    matchId: match.id,
    segmentId: match.segmentId,
    segmentName: named ? segment.segmentName : '',
    participantSegmentId: segment.owner === caller.id ? segment.participantSegmentId : null,
    spi: match.spi,
    status: match.status,
    matchRequestor: match.requester,
    // A group match has no approver (decision 137).
    matchApprover: match.approver === null ? null : String(match.approver),
    matchSignal: segment.uploadSignal,
    matchCount: match.status === 'FINISHED' ? match.matchCount : 0,
    shareBgIds: match.accessBgIds,
    shareSegmentName: match.shareSegmentName,
    segmentOwner: named ? segment.dataOwner : null,
    deliveryScope: [...match.deliveryScopes],
    description: named ? (segment.description ?? '') : '',
    files: [],
    matchJobId: match.matchJobId,
    returnUnmatchedBgIds: match.returnUnmatchedBgIds,
  }
}
