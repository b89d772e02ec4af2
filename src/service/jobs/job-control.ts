import type { Clock } from '../../core/clock.ts'
import type { Latencies } from '../network/network.ts'
import type { BlobFolders, BlobNames } from '../storage/blob-folders.ts'
import type { Store } from '../storage/store.ts'
import type { JobRunner, StoredJob } from './job.ts'
import { dueAt } from './phases.ts'
import { endJob, enterPhase } from './transitions.ts'

/** Whether the job exists and was in a suitable state. */
export type JobControlResult = { state: 'done' } | { state: 'notFound' } | { state: 'notNow'; status: string }

export type JobControl = ReturnType<typeof createJobControl>

/** Decisions of people and other participants about jobs. The public API has no operations for them (decision 126). */
export function createJobControl({
  store,
  blobs,
  clock,
  latencies,
  runner,
}: {
  readonly store: Store
  readonly blobs: BlobFolders
  readonly clock: Clock
  readonly latencies: Latencies
  readonly runner: JobRunner
}) {
  const change = (
    jobId: string,
    isNow: (job: StoredJob) => boolean,
    apply: (job: StoredJob, now: number) => BlobNames,
  ): JobControlResult => {
    const job = store.jobs.find(jobId)
    if (!job) return { state: 'notFound' }
    if (!isNow(job)) return { state: 'notNow', status: job.status }
    blobs.release(store.transaction(() => apply(job, clock.now())))
    runner.wake()
    return { state: 'done' }
  }

  const waitsForApproval = (job: StoredJob) => job.status === 'PENDING_APPROVAL'
  const isActive = (job: StoredJob) => job.active

  return {
    approve: (jobId: string) =>
      change(jobId, waitsForApproval, (job, now) => {
        enterPhase(store, job, job.phase + 1, now, latencies)
        return {}
      }),
    reject: (jobId: string) =>
      change(jobId, waitsForApproval, (job, now) => endJob(store, job, { status: 'REJECTED' }, now)),
    cancel: (jobId: string) => change(jobId, isActive, (job, now) => endJob(store, job, { status: 'CANCELLED' }, now)),
    /** PARTIAL_SUCCESS means that the format of the file was valid but a later part failed (decision 123). */
    fail: (jobId: string, status: 'FAILED' | 'PARTIAL_SUCCESS') =>
      change(jobId, isActive, (job, now) => endJob(store, job, { status }, now)),
    /** Keeps the job in its phase until `release`. Work in progress is finished, and its result is kept. */
    hold: (jobId: string) =>
      change(jobId, isActive, (job) => {
        store.jobs.hold(job.id)
        return {}
      }),
    /** Restarts the phase of the job. */
    release: (jobId: string) =>
      change(
        jobId,
        (job) => job.active && job.held,
        (job, now) => {
          store.jobs.release(job.id, dueAt(job.request, job.phase, now, latencies))
          return {}
        },
      ),
    /** Moves the job one phase forward, even if it is held, but not past a person's approval. */
    async step(jobId: string): Promise<JobControlResult> {
      const job = store.jobs.find(jobId)
      if (!job) return { state: 'notFound' }
      const waitsForPerson = waitsForApproval(job) && dueAt(job.request, job.phase, 0, latencies) === null
      if (!job.active || waitsForPerson) return { state: 'notNow', status: job.status }
      await runner.step(job)
      return { state: 'done' }
    },
  }
}
