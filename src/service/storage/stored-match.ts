import type { MatchStatus, ResultContent, Signal } from '../../contract/enumerations.ts'

export interface NewMatch {
  /** The id of the job that creates it (decision 71). */
  readonly id: string
  readonly requester: number
  /** The partner; null for a group match. */
  readonly approver: number | null
  readonly groupId: string | null
  readonly segmentId: string
  readonly deliveryScopes: readonly string[]
  readonly shareSegmentName: boolean
  readonly accessBgIds: boolean
  readonly spi: boolean
  readonly returnUnmatchedBgIds: boolean
  readonly status: MatchStatus
}

/** A match with the fields of its segment that it shows. */
export interface StoredMatch extends NewMatch {
  readonly matchCount: number
  readonly matchJobId: string
  readonly shaveOffPercent: number | null
  readonly controlHoldoutPercent: number | null
  readonly setFile: string | null
  readonly splitFile: string | null
  readonly segment: MatchedSegment
}

export interface MatchedSegment {
  readonly owner: number
  readonly state: 'live' | 'deleted'
  /** The name that the requester sees; empty if the segment's owner did not share it. */
  readonly segmentName: string
  readonly participantSegmentId: string
  readonly dataOwner: string | null
  readonly description: string | null
  readonly uploadSignal: Signal
  readonly resultContent: ResultContent
}
