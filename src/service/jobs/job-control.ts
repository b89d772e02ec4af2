import type { Clock } from '../../core/clock.ts'
import { notFound, Refusal } from '../api-error.ts'
import type { Latencies } from '../network/network.ts'
import type { BlobFolders, BlobNames } from '../storage/blob-folders.ts'
import type { Store } from '../storage/store.ts'
import type { JobRunner, StoredJob } from './job.ts'
import { dueAt } from './phases.ts'
import { endJob, enterPhase } from './transitions.ts'

export type JobAct = 'approve' | 'reject' | 'cancel' | 'fail' | 'hold' | 'release' | 'step'

interface JobActRequest {
  readonly id: string
  readonly partially?: boolean | undefined
}

/** Each act throws a Refusal if the job does not exist, or is not in a suitable state. */
export type JobControl = { readonly [Act in JobAct]: (request: JobActRequest) => void | Promise<void> }

/** Decisions of people and other participants about jobs. The public API has no operations for them (decision 126). */
export function createJobControl({
  store,
  blobs,
  clock,
  latencies,
  runner,
}: {
  store: Store
  blobs: BlobFolders
  clock: Clock
  latencies: Latencies
  runner: JobRunner
}): JobControl {
  const jobFor = (act: JobAct, id: string, isNow: (job: StoredJob) => boolean): StoredJob => {
    const job = store.jobs.find(id)
    if (!job) throw notFound('job', id)
    if (!isNow(job)) throw new Refusal('conflict', `job ${id} is ${job.status}: ${act} is not possible`)
    return job
  }
  const change =
    (
      act: JobAct,
      isNow: (job: StoredJob) => boolean,
      apply: (job: StoredJob, now: number, request: JobActRequest) => BlobNames | undefined,
    ) =>
    (request: JobActRequest): void => {
      const job = jobFor(act, request.id, isNow)
      blobs.release(store.transaction(() => apply(job, clock.now(), request)) ?? {})
      runner.wake()
    }

  const waitsForApproval = (job: StoredJob) => job.status === 'PENDING_APPROVAL'
  const waitsForPerson = (job: StoredJob) =>
    waitsForApproval(job) && dueAt(job.request, job.phase, 0, latencies) === null
  const isActive = (job: StoredJob) => job.active
  const isHeld = (job: StoredJob) => job.active && job.held

  return {
    approve: change(
      'approve',
      waitsForApproval,
      (job, now) => void enterPhase(store, job, job.phase + 1, now, latencies),
    ),
    reject: change('reject', waitsForApproval, (job, now) => endJob(store, job, { status: 'REJECTED' }, now)),
    cancel: change('cancel', isActive, (job, now) => endJob(store, job, { status: 'CANCELLED' }, now)),
    /** PARTIAL_SUCCESS means that the format of the file was valid but a later part failed (decision 123). */
    fail: change('fail', isActive, (job, now, { partially = false }) =>
      endJob(store, job, { status: partially ? 'PARTIAL_SUCCESS' : 'FAILED' }, now),
    ),
    /** Keeps the job in its phase until `release`. Work in progress is finished, and its result is kept. */
    hold: change('hold', isActive, (job) => void store.jobs.hold(job.id)),
    /** Restarts the phase of the job. */
    release: change(
      'release',
      isHeld,
      (job, now) => void store.jobs.release(job.id, dueAt(job.request, job.phase, now, latencies)),
    ),
    /** Moves the job one phase forward, even if it is held, but not past a person's approval. */
    step: async ({ id }) => runner.step(jobFor('step', id, (job) => job.active && !waitsForPerson(job))),
  }
}
