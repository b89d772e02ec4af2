import type { JobStatus, ResultContent, Signal } from '../../contract/enumerations.ts'

/** The answer of the other participant to a job that needs its approval. */
export type Approval = 'auto' | 'manual' | 'reject'

/** Everything that a job needs for its work, fixed when the job was accepted; a rerun after a crash reads the same. */
export type JobRequest =
  | BuildRequest
  | { kind: 'segments.share'; approval: Approval; partnerId: number; shareSegmentName: boolean }
  | MatchWork
  | { kind: 'matches.testControl'; setFile: string; split: Split }
  | ActivationRequest

export interface BuildRequest {
  kind: 'segments.create' | 'segments.refresh'
  /**
   * The uploaded content, by its own name: a later upload with the same file name does not change it (decision 110).
   */
  content: string
  segmentFileName: string
  uploadSignal: Signal
  resultContent: ResultContent
  dated: boolean
  providerId: number | null
}

export interface MatchWork {
  kind: 'matches.create' | 'matches.refresh'
  /** Null if no approval is needed: group matches and refreshes. */
  approval: Approval | null
  group: boolean
  setFile: string
  uploadSignal: Signal
  resultContent: ResultContent
  participants: number[]
  scopes: string[]
  /** A refreshed match keeps its test and control split. */
  split: Split | null
}

export interface Split {
  shaveOffPercent: number
  controlHoldoutPercent: number
}

interface ActivationRequest {
  kind: 'activations.create'
  approval: Approval
  approver: number | null
  activationName: string
  campaign: string | null
  agency: string | null
  brand: string | null
  campaignStartDate: string | null
  campaignEndDate: string | null
  refreshRate: number
  spi: boolean
  deliveryScopes: string[]
}

/** The result of a job's work; it takes effect when the job succeeds. */
export interface WorkResult {
  readonly setFile?: string
  readonly splitFile?: string
  readonly members?: number
  readonly matchCount?: number
}

/** How a job can end (decision 123). */
export type JobEnd = Extract<JobStatus, 'SUCCESS' | 'FAILED' | 'PARTIAL_SUCCESS' | 'CANCELLED' | 'REJECTED'>

/** What a job's participant may read of it. */
export interface JobSummary {
  /** Decimal string of a 64-bit number, one sequence for all jobs and matches (decision 71). */
  readonly id: string
  readonly participant: number
  readonly kind: JobRequest['kind']
  readonly status: JobStatus
  readonly segmentId: string
  readonly matchId: string | null
  readonly activationId: string | null
}

export interface StoredJob extends JobSummary {
  /** Index into `phasesOf(request)`. */
  readonly phase: number
  readonly active: boolean
  /** Whether it waits for an explicit release. */
  readonly held: boolean
  /** When it moves on by itself, in milliseconds since 1970; null if it waits for a decision, is held or has ended. */
  readonly dueAt: number | null
  readonly request: JobRequest
  readonly result: WorkResult | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
}
