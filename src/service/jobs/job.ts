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

/** Moves all jobs of the store through their phases when their time comes. */
export interface JobRunner {
  start(): void
  /** Checks again, because a job was added or changed. */
  wake(): void
  /** Moves one job out of its phase now, after its work is done; a held job stays in the next phase. */
  step(job: StoredJob): Promise<void>
  /** Resolves when all jobs are done that were due at `at`, or became due meanwhile. */
  settle(at: number): Promise<void>
  /** Runs `change` while no job is working; no job continues before it has returned. */
  whileIdle<T>(change: () => T): Promise<T>
  /** Stops after the work in progress; the rest resumes with the next start. */
  stop(): Promise<void>
}

/** Decisions of people and other participants about jobs; the public API has no operation for them (decision 126). */
export interface JobControl {
  /** Returns whether the job exists and is in a suitable state. */
  approve(jobId: string): JobControlResult
  reject(jobId: string): JobControlResult
  cancel(jobId: string): JobControlResult
  /** PARTIAL_SUCCESS: the file's format was valid, but a later part failed (decision 123). */
  fail(jobId: string, status: 'FAILED' | 'PARTIAL_SUCCESS'): JobControlResult
  /** Keeps the job in its phase until `release`; work in progress is finished and kept. */
  hold(jobId: string): JobControlResult
  /** Restarts its phase. */
  release(jobId: string): JobControlResult
  /** Moves it one phase forward, held or not, but not past a person's approval. */
  step(jobId: string): Promise<JobControlResult>
}

export type JobControlResult = { state: 'done' } | { state: 'notFound' } | { state: 'notNow'; status: string }
