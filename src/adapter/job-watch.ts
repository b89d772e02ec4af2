import { TERMINAL_JOB_STATUSES } from '../contract/enumerations.ts'
import type { Job } from '../contract/job.ts'
import type { AudienceError } from '../core/errors.ts'
import type { JobTerms } from './api-client.ts'
import { isNotFound } from './api-error.ts'
import type { DurationSketch } from './duration-sketch.ts'
import { jobFailed, jobTimedOut } from './job-error.ts'
import type { PollSchedule } from './poll-delay.ts'

/** The result of a poll. */
export type JobNews =
  | { readonly state: 'success'; readonly job: Job }
  | { readonly state: 'failure'; readonly error: Error }
  | {
      readonly state: 'again'
      /** When to poll for the last time, in milliseconds since 1970. */
      readonly deadlineAt: number
      /** The longest delay from now on, if it differs from the schedule's own. */
      readonly ceilingMs?: number
      /** The time within which the shortest tenth of earlier jobs ended, if the next delay may depend on it. */
      readonly learnedMs?: number | undefined
    }

/** How the wait for a job begins. */
export interface JobStart {
  /** When the wait began, by the steady clock. */
  readonly startedAt: number
  readonly schedule: PollSchedule
  readonly durations: DurationSketch | undefined
}

/** How long a job may be unknown just after it was created (decision 127). */
const NOT_FOUND_TOLERANCE_MS = 10_000
/** How often a successful job without its id is read again (decision 139). */
const ID_POLLS = 3
/** A person needs time to approve, so frequent polls are useless. */
const APPROVAL_CEILING_MS = 300_000

/** Keeps what is known about a job between polls, and decides what follows from each poll. */
export class JobWatch {
  readonly #jobId: string
  readonly #terms: JobTerms
  readonly #start: JobStart
  #status: string | undefined
  /** The job as last read with a success status. */
  #succeeded: Job | undefined
  #approvalSince: number | undefined
  #approvalMs = 0
  #missingSince: number | undefined
  #pollsWithoutId = 0

  constructor(jobId: string, terms: JobTerms, start: JobStart) {
    this.#jobId = jobId
    this.#terms = terms
    this.#start = start
  }

  /** Records a poll that read the job. `nowMs` is when the poll began. */
  read(job: Job, nowMs: number): JobNews {
    const { accept = ['SUCCESS'], resource, onStatus } = this.#terms
    const before = this.#status
    const waitedMs = nowMs - this.#start.startedAt
    this.#missingSince = undefined
    this.#trackApproval(job.status, nowMs)
    this.#status = job.status
    if (job.status !== before) onStatus?.(job, waitedMs)
    const accepted = isOneOf(accept, job.status)
    const ended = accepted || isOneOf(TERMINAL_JOB_STATUSES, job.status)
    if (ended && job.status !== before) this.#learn(before, waitedMs)
    if (accepted) this.#succeeded = job
    // A job that has succeeded cannot fail afterwards: another status is outdated or a mistake.
    if (this.#succeeded) {
      const hasId = accepted && (resource === undefined || job[resource])
      if (hasId || this.#pollsWithoutId === ID_POLLS) return { state: 'success', job: this.#succeeded }
      this.#pollsWithoutId += 1
      return this.#againSoon()
    }
    const endedBefore = before !== undefined && isOneOf(TERMINAL_JOB_STATUSES, before)
    // After a failed job, the step creates its resource again, so one reading is not enough proof of the failure.
    if (ended && !endedBefore) return this.#againSoon()
    if (ended) return { state: 'failure', error: jobFailed(this.#jobId, job) }
    const news = this.#againOrTooLate(nowMs, undefined)
    // The learned durations come from jobs that did not wait for an approval.
    if (news.state !== 'again' || before !== undefined || this.#approvalSince !== undefined) return news
    return { ...news, learnedMs: this.#start.durations?.shortestTenthMs() }
  }

  /** Records a poll that failed. `nowMs` is when it failed. */
  unread(error: AudienceError, nowMs: number): JobNews {
    if (!isNotFound(error)) return this.#againOrTooLate(nowMs, error)
    this.#missingSince ??= nowMs
    const givenUpAt = this.#missingSince + NOT_FOUND_TOLERANCE_MS
    if (nowMs >= givenUpAt) return { state: 'failure', error: jobFailed(this.#jobId, undefined, error) }
    const news = this.#againOrTooLate(nowMs, error)
    return news.state === 'again' ? { ...news, deadlineAt: Math.min(news.deadlineAt, givenUpAt) } : news
  }

  #againSoon(): JobNews {
    return { state: 'again', deadlineAt: Number.POSITIVE_INFINITY, ceilingMs: this.#start.schedule.floorMs }
  }

  #againOrTooLate(nowMs: number, cause: unknown): JobNews {
    const { timeoutMs, approvalTimeoutMs = timeoutMs } = this.#terms
    const awaitingApproval = this.#approvalSince !== undefined
    const deadlineAt =
      this.#approvalSince !== undefined
        ? this.#approvalSince + approvalTimeoutMs
        : this.#start.startedAt + this.#approvalMs + timeoutMs
    if (nowMs < deadlineAt) {
      return { state: 'again', deadlineAt, ceilingMs: awaitingApproval ? APPROVAL_CEILING_MS : undefined }
    }
    const waitedMs = nowMs - this.#start.startedAt
    const details = { jobId: this.#jobId, status: this.#status, waitedMs, awaitingApproval, cause }
    return { state: 'failure', error: jobTimedOut(details) }
  }

  /** The time spent waiting for an approval does not count against the job's own time. */
  #trackApproval(status: string, nowMs: number): void {
    if (status === 'PENDING_APPROVAL') this.#approvalSince ??= nowMs
    else if (this.#approvalSince !== undefined) {
      this.#approvalMs += nowMs - this.#approvalSince
      this.#approvalSince = undefined
    }
  }

  /**
   * Learns the duration of a job. Skips a job that ended before the first poll, because its duration is unknown. Also
   * skips a job that waited for a person.
   */
  #learn(before: string | undefined, tookMs: number): void {
    if (before !== undefined && this.#approvalMs === 0) this.#start.durations?.add(tookMs)
  }
}

function isOneOf(statuses: readonly string[], status: string): boolean {
  return statuses.includes(status)
}
