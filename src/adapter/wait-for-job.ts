import type { Job } from '../contract/job.ts'
import type { OperationId } from '../contract/operations.ts'
import { AudienceError } from '../core/errors.ts'
import type { CallOptions, WaitForJobOptions } from './api-client.ts'
import { callOperation } from './call-operation.ts'
import { DurationSketch } from './duration-sketch.ts'
import { type JobNews, type JobStart, JobWatch } from './job-watch.ts'
import { DEFAULT_POLLS, type PollSchedule, pollDelayMs } from './poll-delay.ts'
import { type Polled, Poller, type PollResult } from './poller.ts'
import type { RequestPlan } from './request-plan.ts'
import type { Transport } from './transport.ts'
import { type WarnOnce, warnOnce } from './warn-once.ts'

/** The service from which jobs are read. */
interface JobService {
  readonly transport: Transport
  readonly jobsGet: RequestPlan
}

/** Makes the function of ApiClient.waitForJob. All waits share one poller and the learned durations of operations. */
export function jobWaiter(
  transport: Transport,
  jobsGet: RequestPlan,
): (jobId: string, options: WaitForJobOptions) => Promise<Job> {
  const service = { transport, jobsGet }
  const poller = new Poller<Job>(transport.clock, transport.polls, transport.closing)
  const durations = new Map<OperationId, DurationSketch>()
  const durationsOf = (operation: OperationId | undefined): DurationSketch | undefined => {
    if (operation === undefined) return undefined
    const known = durations.get(operation) ?? new DurationSketch()
    durations.set(operation, known)
    return known
  }
  return (jobId, options) => {
    const wait = new JobWait(service, jobId, options, durationsOf(options.operation))
    return poller.poll(wait, options.signal)
  }
}

/** Waits for one job. Before the deadline, a failed poll does not end the wait. */
class JobWait implements Polled<Job> {
  readonly #service: JobService
  readonly #jobId: string
  readonly #call: CallOptions
  readonly #start: JobStart
  readonly #watch: JobWatch
  #warn: WarnOnce | undefined

  constructor(service: JobService, jobId: string, options: WaitForJobOptions, durations: DurationSketch | undefined) {
    this.#service = service
    this.#jobId = jobId
    // One attempt is enough, because another poll follows.
    this.#call = { maxAttempts: 1, signal: options.signal, pipeline: options.pipeline }
    this.#start = { startedAt: service.transport.clock.steady(), schedule: scheduleOf(options), durations }
    this.#watch = new JobWatch(jobId, options, this.#start)
  }

  async look(): Promise<PollResult<Job>> {
    const { transport, jobsGet } = this.#service
    const nowMs = transport.clock.steady()
    let job: Job
    try {
      job = (await callOperation(transport, jobsGet, { jobId: this.#jobId }, this.#call)) as Job
    } catch (error) {
      const isOver = transport.closing.aborted || this.#call.signal?.aborted
      // An invalid request stays invalid, so later polls would fail, too.
      if (isOver || !(error instanceof AudienceError) || error.kind === 'invalid') throw error
      this.#warned(`a poll failed: ${error.message}`)
      return this.#lookFor(this.#watch.unread(error, transport.clock.steady()), nowMs)
    }
    return this.#lookFor(this.#watch.read(job, nowMs), nowMs)
  }

  #lookFor(news: JobNews, nowMs: number): PollResult<Job> {
    if (news.state === 'success') return { state: 'settled', value: news.job }
    if (news.state === 'failure') throw news.error
    const { clock, random } = this.#service.transport
    const { startedAt, schedule } = this.#start
    const { deadlineAt, learnedMs, ceilingMs = schedule.ceilingMs } = news
    const moment = { elapsedMs: nowMs - startedAt, leftMs: deadlineAt - clock.steady(), learnedMs }
    return { state: 'again', delayMs: pollDelayMs(moment, { ...schedule, ceilingMs }, random) }
  }

  /** Logs a warning. The logger is created lazily, because there are many waits and most never warn. */
  #warned(message: string): void {
    const { log } = this.#service.transport
    this.#warn ??= warnOnce((text) => log.warn({ jobId: this.#jobId }, text))
    this.#warn(message)
  }
}

function scheduleOf({ poll }: WaitForJobOptions): PollSchedule {
  if (!poll) return DEFAULT_POLLS
  return { floorMs: poll.initialMs ?? DEFAULT_POLLS.floorMs, ceilingMs: poll.maxMs ?? DEFAULT_POLLS.ceilingMs }
}
