import type { Clock } from '../../core/clock.ts'
import type { Latencies } from '../network/network.ts'
import type { BlobFolders, BlobNames } from '../storage/blob-folders.ts'
import type { Store } from '../storage/store.ts'
import type { JobControl, JobControlResult, JobRunner, StoredJob } from './job.ts'
import { dueAt } from './phases.ts'
import { endJob, enterPhase } from './transitions.ts'

export interface JobControlOptions {
  readonly store: Store
  readonly blobs: BlobFolders
  readonly clock: Clock
  readonly latencies: Latencies
  readonly runner: JobRunner
}

export function createJobControl(options: JobControlOptions): JobControl {
  const { store, blobs, clock, latencies, runner } = options

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
    approve: (jobId) =>
      change(jobId, waitsForApproval, (job, now) => {
        enterPhase(store, job, job.phase + 1, now, latencies)
        return {}
      }),
    reject: (jobId) => change(jobId, waitsForApproval, (job, now) => endJob(store, job, { status: 'REJECTED' }, now)),
    cancel: (jobId) => change(jobId, isActive, (job, now) => endJob(store, job, { status: 'CANCELLED' }, now)),
    fail: (jobId, status) => change(jobId, isActive, (job, now) => endJob(store, job, { status }, now)),
    hold: (jobId) =>
      change(jobId, isActive, (job) => {
        store.jobs.hold(job.id)
        return {}
      }),
    release: (jobId) =>
      change(
        jobId,
        (job) => job.active && job.held,
        (job, now) => {
          store.jobs.release(job.id, dueAt(job.request, job.phase, now, latencies))
          return {}
        },
      ),
    async step(jobId) {
      const job = store.jobs.find(jobId)
      if (!job) return { state: 'notFound' }
      const waitsForPerson = waitsForApproval(job) && dueAt(job.request, job.phase, 0, latencies) === null
      if (!job.active || waitsForPerson) return { state: 'notNow', status: job.status }
      await runner.step(job)
      return { state: 'done' }
    },
  }
}
