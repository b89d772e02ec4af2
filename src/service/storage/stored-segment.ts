import type { ResultContent, Signal } from '../../contract/enumerations.ts'

/** The metadata that a participant gives a segment. */
export interface SegmentMetadata {
  readonly segmentName: string
  readonly cpm: number | null
  readonly dataOwner: string | null
  readonly category: string | null
  readonly subCategory: string | null
  readonly description: string | null
  readonly spi: boolean
}

export interface NewSegment extends SegmentMetadata {
  readonly id: string
  readonly owner: number
  readonly participantSegmentId: string
  readonly segmentFileName: string
  readonly uploadSignal: Signal
  readonly resultContent: ResultContent
  readonly uploadDateWithSignals: boolean | null
  readonly providerId: number | null
}

/** A segment that was built at least once. A deleted segment is kept for the matches that were made with it. */
export interface StoredSegment extends NewSegment {
  readonly state: 'building' | 'live' | 'deleted'
  /** The file with its members; null before the first build and after deletion. */
  readonly setFile: string | null
  readonly members: number
}

/** A segment as one participant sees it. */
export type VisibleSegment = StoredSegment & { readonly nameShared: boolean }
