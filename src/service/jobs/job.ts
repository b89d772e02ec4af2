import type { JobStatus, ResultContent, Signal, TERMINAL_JOB_STATUSES } from '../../contract/enumerations.ts'
import type { Participant } from '../network/network.ts'

/** How the other participant answers a job that needs its approval. */
export type Approval = Participant['approval']

/**
 * Everything that a job needs for its work. It is fixed when the job is accepted, so a rerun after a crash reads the
 * same data.
 */
export type JobRequest =
  | BuildRequest
  | { kind: 'segments.share'; approval: Approval; partnerId: number; shareSegmentName: boolean }
  | MatchWork
  | { kind: 'matches.testControl'; setFile: string; split: Split }
  | ActivationWork

export interface BuildRequest {
  kind: 'segments.create' | 'segments.refresh'
  /**
   * The name of the uploaded content. A later upload with the same file name does not change this content (decision
   * 110).
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
  /** Null if no approval is needed, as for group matches and refreshes. */
  approval: Approval | null
  group: boolean
  setFile: string
  uploadSignal: Signal
  resultContent: ResultContent
  participants: readonly number[]
  scopes: readonly string[]
  /** A refreshed match keeps its test and control split. */
  split: Split | null
}

/** Integers from 0 to 100. */
export interface Split {
  shaveOffPercent: number
  controlHoldoutPercent: number
}

export interface ActivationWork {
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

/** The result of a job's work. It takes effect when the job succeeds. */
export interface WorkResult {
  readonly setFile?: string
  readonly splitFile?: string
  readonly members?: number
  readonly matchCount?: number
}

/** How a job can end (decision 123). */
export type JobEnd = (typeof TERMINAL_JOB_STATUSES)[number]

/** Job ids are decimal numbers as text. Any other text is not the id of a job. */
export const JOB_ID = /^\d{1,18}$/

/** What the participant of a job may read about it. */
export interface JobSummary {
  /** A 64-bit number as a decimal string. All jobs and matches share one sequence (decision 71). */
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
  /** Whether it is waiting for an explicit release. */
  readonly held: boolean
  /** When it moves on by itself, in milliseconds since 1970; null if it waits for a decision, is held or has ended. */
  readonly dueAt: number | null
  readonly request: JobRequest
  readonly result: WorkResult | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** Moves all jobs in the store through their phases when their time comes. */
export interface JobRunner {
  start(): void
  /** Checks the jobs again, because a job was added or changed. */
  wake(): void
  /** Moves one job out of its phase as soon as its work is done. A held job stays in the next phase. */
  step(job: StoredJob): Promise<void>
  /** Resolves when all jobs that were due at `at`, or became due in the meantime, are done. */
  settle(at: number): Promise<void>
  /** Runs `change` while no job is working. No job continues before `change` has returned. */
  whileIdle<T>(change: () => T): Promise<T>
  /** Stops when the work in progress is done. All other jobs resume with the next start. */
  stop(): Promise<void>
}
