import { isJsonObject } from '../core/json.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import { awaitJob, maxWaitOf } from './await-job.ts'
import type { WantedShares } from './decide-segment.ts'
import type { StepPlanDeps, StepRun, StepServices } from './define-step.ts'
import { remember } from './memory-key.ts'
import { hasEnded, readJob } from './read-job.ts'
import type { StartedJob } from './started-job.ts'
import type { LookupDeps } from './writes/reconciler.ts'
import { sendWrite } from './writes/send-write.ts'

/** What to do about the shares of a segment. */
export type SharePlan = {
  /** The partners to share with. */
  readonly send: readonly number[]
  /** The partners for which an earlier run began a share whose job has not ended. */
  readonly wait: readonly { readonly partnerId: number; readonly jobId: string }[]
  /** The partners that have the segment but are no longer listed: the contract has no way to take a share back. */
  readonly still: readonly number[]
}

/** A remembered share; with its job until the job is known to have succeeded. */
interface Share {
  readonly shareSegmentName: boolean
  readonly jobId?: string
}

type SharesDeps = Pick<StepPlanDeps, 'stepMemory' | 'profile'> & LookupDeps

/**
 * Compares the wanted shares with the remembered ones, because the service does not show with whom a segment is shared.
 */
export async function planShares(
  segmentId: string | undefined,
  { shareWith = [], shareSegmentName = true }: WantedShares,
  deps: SharesDeps,
): Promise<SharePlan> {
  const known = segmentId === undefined ? new Map<number, Share>() : await sharesOf(segmentId, deps)
  const send: number[] = []
  const wait: { partnerId: number; jobId: string }[] = []
  for (const partnerId of shareWith) {
    const share = known.get(partnerId)
    const state = share?.shareSegmentName === shareSegmentName ? await stateOf(share, deps) : 'none'
    if (state === 'none') send.push(partnerId)
    else if (state === 'active' && share?.jobId !== undefined) wait.push({ partnerId, jobId: share.jobId })
  }
  return { send, wait, still: [...known.keys()].filter((partnerId) => !shareWith.includes(partnerId)) }
}

/** Sends the requests, then waits for all jobs, so that a partner that has to approve does not hold up others. */
export async function shareSegment(
  segmentId: string,
  { send, wait }: SharePlan,
  step: StepRun<WantedShares>,
): Promise<void> {
  const { services, input } = step
  const { shareSegmentName = true } = input
  const key = sharesKey(segmentId, services)
  const note = async (partnerId: number, share: Share) =>
    remember(services, key, { ...(await services.stepMemory.get(key)), [partnerId]: { ...share } })
  const requestFor = (partnerId: number) =>
    ({
      operation: 'segments.share',
      input: { segmentId, partnerId, shareSegmentName },
      name: `share.${partnerId}.`,
    }) as const
  const jobs = new Map<number, StartedJob>()
  for (const { partnerId, jobId } of wait) jobs.set(partnerId, { ...requestFor(partnerId), answer: { id: jobId } })
  for (const partnerId of send) {
    const written = await sendWrite({ ...requestFor(partnerId), maxWaitMs: maxWaitOf(step) }, step)
    const { id: jobId } = written.answer
    if (typeof jobId === 'string') await note(partnerId, { shareSegmentName, jobId })
    jobs.set(partnerId, written)
  }
  for (const [partnerId, job] of jobs) {
    await awaitJob(job, step)
    await note(partnerId, { shareSegmentName })
  }
}

async function sharesOf(segmentId: string, deps: SharesDeps): Promise<ReadonlyMap<number, Share>> {
  const entry = (await deps.stepMemory.get(sharesKey(segmentId, deps))) ?? {}
  const shares = Object.entries(entry).flatMap(([partnerId, share]) => {
    if (!isJsonObject(share)) return []
    const jobId = typeof share.jobId === 'string' ? share.jobId : undefined
    const known = { shareSegmentName: share.shareSegmentName === true, jobId }
    return [[Number(partnerId), known] as const]
  })
  return new Map(shares)
}

/** Whether a remembered share exists, is in progress, or failed. */
async function stateOf({ jobId }: Share, deps: SharesDeps): Promise<'done' | 'active' | 'none'> {
  if (jobId === undefined) return 'done'
  const job = await readJob(jobId, deps)
  if (!job) return 'none'
  if (!hasEnded(job)) return 'active'
  return job.status === 'SUCCESS' ? 'done' : 'none'
}

/** The key does not name a pipeline, because a share belongs to the segment. */
function sharesKey(segmentId: string, { profile }: Pick<StepServices, 'profile'>): MemoryKey {
  return { profile, pipeline: '', step: `shares of ${segmentId}` }
}
