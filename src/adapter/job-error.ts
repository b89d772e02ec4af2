import type { Job } from '../contract/job.ts'
import { AudienceError } from '../core/errors.ts'
import { formatDuration } from '../core/format/duration-text.ts'

/** A job ended without success. If `job` is undefined, the service no longer knows it. */
export function jobFailed(jobId: string, job: Job | undefined, cause?: unknown): AudienceError {
  return new AudienceError({
    code: job ? 'job-failed' : 'job-unknown',
    kind: 'failed',
    message: job ? `job ${jobId} ended as ${job.status}` : `job ${jobId} is not known to the service`,
    hint: HINTS[job?.status ?? 'UNKNOWN'] ?? 'look the job up in the service, then run the step again',
    cause,
  })
}

const HINTS: Readonly<Record<string, string>> = {
  FAILED: 'check the step’s input (file, signal, ids), then run the step again',
  PARTIAL_SUCCESS: 'only the format of the file was valid; correct its content, or accept PARTIAL_SUCCESS in await',
  REJECTED: 'the other participant said no; talk to them before you ask again',
  CANCELLED: 'somebody cancelled it in the service; run the step again if that was a mistake',
  UNKNOWN:
    'before you run the step again, check in the service what the job created; the job may belong to another participant',
}

/** The wait ended before the job did. The job continues in the service. */
export function jobTimedOut(details: {
  jobId: string
  /** The last status that a poll read; undefined if no poll succeeded. */
  status: string | undefined
  waitedMs: number
  /** Whether the time limit for an approval was exceeded. */
  awaitingApproval: boolean
  /** Why the last poll failed; undefined if it succeeded. */
  cause: unknown
}): AudienceError {
  const { jobId, status, waitedMs, awaitingApproval, cause } = details
  const unread = status === undefined && cause instanceof Error ? `: ${cause.message}` : ''
  return new AudienceError({
    code: awaitingApproval ? 'approval-timeout' : 'job-timeout',
    kind: 'failed',
    message: `job ${jobId} was ${status ?? 'not readable'} after ${formatDuration(waitedMs)} of waiting${unread}`,
    hint: awaitingApproval
      ? 'ask the other participant to approve it, then retry the run: it waits for the same job'
      : 'the job goes on: `audience runs retry` waits for it; or give the step a longer timeout',
    cause,
  })
}
