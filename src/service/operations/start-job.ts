import type { Job } from '../../contract/job.ts'
import type { ServiceCall } from '../call.ts'
import type { JobRequest, JobSummary } from '../jobs/job.ts'
import { dueAt, phasesOf } from '../jobs/phases.ts'

/** Accepts a job: stores it and returns its id. Call it in a transaction, and wake the runner afterwards. */
export function insertJob(
  { store, clock, network, caller }: ServiceCall,
  job: { request: JobRequest; segmentId: string; matchId?: string },
): string {
  const at = clock.now()
  const first = phasesOf(job.request)[0]
  if (!first) throw new Error(`${job.request.kind} has no phases`)
  return store.jobs.insert({
    ...job,
    participant: caller.id,
    status: first.job,
    dueAt: dueAt(job.request, 0, at, network.latencies),
    reads: readBy(job.request),
    at,
  })
}

/** A job as its participant sees it. Ids that do not apply are left out (decisions 34 and 129). */
export function jobView({ id, kind, status, segmentId, matchId, activationId }: JobSummary): Job {
  const job: { -readonly [Field in keyof Job]: Job[Field] } = { id, status }
  if (kind !== 'segments.create' || status === 'SUCCESS') job.segmentId = segmentId
  if (matchId !== null) job.matchId = matchId
  if (activationId !== null) job.activationId = activationId
  return job
}

/** Stores a job and returns it as the answer. */
export function startJob(call: ServiceCall, write: () => string): Job {
  const id = call.store.transaction(write)
  call.runner.wake()
  const job = call.store.jobs.findSummary(id)
  if (!job) throw new Error(`job ${id} does not exist right after it was written`)
  return jobView(job)
}

function readBy(request: JobRequest): string | undefined {
  if ('content' in request) return request.content
  return 'setFile' in request ? request.setFile : undefined
}
