import type { Latencies } from '../network/network.ts'
import type { BlobNames } from '../storage/blob-folders.ts'
import type { Store } from '../storage/store.ts'
import type { JobEnd, StoredJob } from './job.ts'
import { afterPhase, dueAt, phasesOf } from './phases.ts'

/**
 * Moves a job on when the time of its phase is up. Call it in a transaction. Afterwards, release the files that it
 * returns.
 */
export function moveOn(store: Store, job: StoredJob, now: number, latencies: Latencies): BlobNames {
  const next = afterPhase(job.request, job.phase)
  if ('end' in next) return endJob(store, job, { status: next.end }, now)
  enterPhase(store, job, next.phase, now, latencies)
  return {}
}

/** Moves a job into a phase. Call it in a transaction. */
export function enterPhase(store: Store, job: StoredJob, index: number, now: number, latencies: Latencies): void {
  const phase = phasesOf(job.request)[index]
  if (!phase) throw new Error(`job ${job.id} has no phase ${index}`)
  store.jobs.advance(job.id, {
    status: phase.job,
    phase: index,
    work: phase.work === true,
    dueAt: dueAt(job.request, index, now, latencies),
    at: now,
  })
  if (phase.record && job.matchId !== null) store.matches.setStatus(job.matchId, phase.record)
}

/**
 * Ends a job and applies its result, or undoes what it had reserved. Call it in a transaction. Afterwards release what
 * it returns: the files that the job read, made or replaced. Some of them may no longer be needed.
 */
export function endJob(
  store: Store,
  job: StoredJob,
  end: { status: JobEnd; failure?: string },
  now: number,
): BlobNames {
  const touched = touchedBlobs(store, job)
  const activationId = end.status === 'SUCCESS' ? takeEffect(store, job) : undefined
  if (end.status !== 'SUCCESS') takeBack(store, job, end.status)
  store.jobs.end(job.id, { ...end, activationId, at: now })
  return touched
}

function touchedBlobs(store: Store, { request, result, segmentId, matchId }: StoredJob): BlobNames {
  const match = matchId === null ? undefined : store.matches.find(matchId)
  return {
    contents: 'content' in request ? [request.content] : [],
    sets: [
      'setFile' in request ? request.setFile : null,
      store.segments.find(segmentId)?.setFile,
      match?.setFile,
      match?.splitFile,
      result?.setFile,
      result?.splitFile,
    ],
  }
}

/** Applies the result of a job. Returns the id of the activation that the job made, if any. */
function takeEffect(store: Store, job: StoredJob): string | undefined {
  const { request, result, segmentId } = job
  switch (request.kind) {
    case 'segments.create':
    case 'segments.refresh':
      store.segments.publish(segmentId, {
        setFile: made(job, result?.setFile),
        members: made(job, result?.members),
        segmentFileName: request.segmentFileName,
      })
      if (request.kind === 'segments.create') store.segments.grant(segmentId, job.participant, { nameShared: true })
      return
    case 'segments.share':
      store.segments.grant(segmentId, request.partnerId, { nameShared: request.shareSegmentName })
      return
    case 'matches.create':
    case 'matches.refresh':
      store.matches.finish(made(job, job.matchId), {
        matchCount: made(job, result?.matchCount),
        matchJobId: job.id,
        setFile: made(job, result?.setFile),
        splitFile: result?.splitFile ?? null,
      })
      return
    case 'matches.testControl': {
      const matchId = made(job, job.matchId)
      const match = made(job, store.matches.find(matchId))
      store.matches.finish(matchId, {
        matchCount: match.matchCount,
        matchJobId: job.id,
        setFile: request.setFile,
        splitFile: made(job, result?.splitFile),
      })
      store.matches.setSplit(matchId, request.split)
      return
    }
    case 'activations.create': {
      const { kind: _kind, approval: _approval, ...activation } = request
      const matchId = made(job, job.matchId)
      return store.activations.insert({
        ...activation,
        requester: job.participant,
        matchId,
        segmentId,
        status: 'Activated',
      })
    }
  }
}

/**
 * Undoes what a failed job had reserved. After a failed creation, there is no segment, or the match has failed. Any
 * other failed job leaves the previous state as it was.
 */
function takeBack(store: Store, job: StoredJob, status: JobEnd): void {
  if (job.request.kind === 'segments.create') store.segments.forget(job.segmentId)
  if (job.matchId === null) return
  if (job.request.kind === 'matches.create') {
    store.matches.setStatus(job.matchId, status === 'REJECTED' ? 'REJECTED' : 'FAILED')
  } else if (job.request.kind !== 'activations.create') {
    store.matches.setStatus(job.matchId, 'FINISHED')
  }
}

function made<T>(job: StoredJob, value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error(`job ${job.id} ended before its work was done`)
  return value
}
