import type { Logger } from 'pino'
import { type Clock, look, NEVER } from '../../core/clock.ts'
import { sqliteCode } from '../../core/code-of.ts'
import { messageOf } from '../../core/message-of.ts'
import { SegmentFileError } from '../matching/segment-file.ts'
import type { Latencies } from '../network/network.ts'
import type { BlobNames } from '../storage/blob-folders.ts'
import type { Store } from '../storage/store.ts'
import { doJobWork, type WorkTools } from './do-work.ts'
import type { JobRunner, StoredJob, WorkResult } from './job.ts'
import { phasesOf } from './phases.ts'
import { endJob, moveOn } from './transitions.ts'

export interface JobRunnerOptions extends WorkTools {
  store: Store
  clock: Clock
  /** The machine's clock. The clock of the service may be frozen, but this one is never frozen. */
  wall: Clock
  log: Logger
  latencies: Latencies
  /** The maximum number of jobs that work on sets at the same time. */
  concurrency: number
}

/** The maximum number of jobs in one transaction. */
const BATCH = 200

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { store, clock, wall, blobs, log, latencies, concurrency } = options
  /** Jobs whose work is in progress, by id. */
  const working = new Map<string, Promise<void>>()
  let running: Promise<void> | undefined
  let alarm = new AbortController()
  const stopping = new AbortController()
  // Without a given reason, each abort would create an error with a stack trace.
  const wake = () => alarm.abort('look again')
  /** The number of callers that wait until no job is working, or that keep jobs from working. */
  let pauses = 0

  const loop = async () => {
    while (!stopping.signal.aborted) {
      alarm = new AbortController()
      const now = clock.now()
      let moved: number
      try {
        moved = pauses > 0 ? 0 : takeDue(now)
      } catch (error) {
        // This happens, for example, if the disk is full. The jobs continue once there is free space again.
        log.error({ err: error }, 'jobs cannot be moved to their next phase; trying again')
        await look(wall, RETRY_MS, stopping.signal, RETRY_MS)
        continue
      }
      // Lets requests run between batches.
      if (moved > 0) await new Promise((resolve) => setImmediate(resolve))
      else {
        const dueMs = (store.jobs.nextDueAfter(now) ?? NEVER) - now
        await look(clock, Math.min(dueMs, MAX_SLEEP_MS), alarm.signal, dueMs)
      }
    }
  }

  /**
   * Moves on the jobs that need no work, and starts the work of other jobs up to the maximum. Returns the number of
   * changed jobs.
   */
  const takeDue = (now: number): number => {
    const idle = store.jobs.due(now, { work: false, limit: BATCH })
    if (idle.length > 0) moveTogether(idle, now).forEach(blobs.release)
    const ready = store.jobs
      .due(now, { work: true, limit: concurrency + working.size })
      .filter((job) => !working.has(job.id))
      .slice(0, concurrency - working.size)
    for (const job of ready) void startWork(job)
    return idle.length + ready.length
  }

  /** Moves all jobs on in one transaction. If a job cannot move on, only this job fails. */
  const moveTogether = (jobs: readonly StoredJob[], now: number): BlobNames[] => {
    try {
      return store.transaction(() => jobs.map((job) => moveOn(store, job, now, latencies)))
    } catch (error) {
      const [job, ...more] = jobs
      // If the store failed, for example with a disk error, the job itself has not failed.
      if (!job || sqliteCode(error) !== undefined) throw error
      if (more.length > 0) return jobs.flatMap((one) => moveTogether([one], now))
      logFailure(job, error)
      return [store.transaction(() => endJob(store, job, failureOf(job, error), now))]
    }
  }

  const startWork = (job: StoredJob): Promise<void> => {
    const work = perform(job)
      .catch(async (error: unknown) => {
        log.error({ jobId: job.id, err: error }, 'the end of a job’s work cannot be written; repeating the work')
        await look(wall, RETRY_MS, stopping.signal, RETRY_MS)
      })
      .finally(() => {
        working.delete(job.id)
        wake()
      })
    working.set(job.id, work)
    return work
  }

  const perform = async (job: StoredJob): Promise<void> => {
    const outcome = await doJobWork(job, options).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    if (stopping.signal.aborted) return
    const touched = store.transaction(() => complete(job.id, outcome))
    if ('error' in outcome) logFailure(job, outcome.error)
    else blobs.release({ sets: [outcome.result.setFile, outcome.result.splitFile] })
    blobs.release(touched)
  }

  const complete = (jobId: string, outcome: { result: WorkResult } | { error: unknown }): BlobNames => {
    const job = store.jobs.find(jobId)
    // The job may have been cancelled during its work.
    if (!job?.active) return {}
    const now = clock.now()
    if ('error' in outcome) return endJob(store, job, failureOf(job, outcome.error), now)
    store.jobs.recordResult(jobId, outcome.result)
    // The job was held during its work, so it keeps its result until it is released.
    if (job.held && job.dueAt === null) return {}
    return moveOn(store, { ...job, result: outcome.result }, now, latencies)
  }

  const logFailure = (job: StoredJob, error: unknown) => {
    const fields = { jobId: job.id, kind: job.request.kind, err: error }
    if (error instanceof SegmentFileError) log.info(fields, 'a segment cannot be made from the file')
    else log.error(fields, 'the work of a job failed')
  }

  return {
    start() {
      running ??= loop()
    },
    wake,
    async step(job) {
      const inProgress = working.get(job.id)
      const hasWork = phasesOf(job.request)[job.phase]?.work === true && job.result === null
      // This sets the due time, so that the job leaves its phase when its work is done, even if it is held.
      if (hasWork) store.transaction(() => store.jobs.setDue(job.id, clock.now()))
      if (hasWork) await (inProgress ?? startWork(job))
      else moveTogether([job], clock.now()).forEach(blobs.release)
      wake()
    },
    async settle(at) {
      const isDue = (work: boolean) => store.jobs.due(at, { work, limit: 1 }).length > 0
      while (!stopping.signal.aborted && (working.size > 0 || isDue(false) || isDue(true))) {
        wake()
        await Promise.all(working.values())
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async whileIdle(change) {
      pauses++
      try {
        while (working.size > 0) await Promise.all(working.values())
        return change()
      } finally {
        pauses--
        wake()
      }
    },
    async stop() {
      stopping.abort()
      wake()
      await running
      await Promise.all(working.values())
    },
  }
}

/** The longest time that the runner sleeps. If nothing is due, waking up costs only one query. */
const MAX_SLEEP_MS = 60_000
const RETRY_MS = 1000

/**
 * How a job ends after an error. PARTIAL_SUCCESS means that the file was well-formed but the segment failed (decision
 * 123).
 */
function failureOf({ request }: StoredJob, error: unknown): { status: 'FAILED' | 'PARTIAL_SUCCESS'; failure: string } {
  const isBuild = request.kind === 'segments.create' || request.kind === 'segments.refresh'
  return {
    status: isBuild && !(error instanceof SegmentFileError) ? 'PARTIAL_SUCCESS' : 'FAILED',
    failure: messageOf(error),
  }
}
