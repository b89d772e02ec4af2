import { NEVER } from '../core/clock.ts'
import type { LearnedGuard } from '../core/guard.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import { type LastRun, type StoredRecord, stepKey } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { Sealing } from '../core/sealing.ts'
import { visibleEnv } from '../core/visible-env.ts'
import { outOfTimeAt } from '../runs/deadline.ts'
import { decide } from '../runs/decide.ts'
import { learnable, learnFrom, learningSteps } from '../runs/guards/learn.ts'
import { lastRuns } from '../runs/recorded-run.ts'
import { foldRecords } from '../runs/run-state.ts'
import type { SentMessage } from '../state/run-history.ts'
import { driveRun } from './drive-run.ts'
import type { DriverDeps, Live } from './engine-deps.ts'
import { LiveRun } from './live-run.ts'
import { openRun, sealingOf } from './sealed-runs.ts'
import { PARKED, Waits } from './waits.ts'

/** A parked run. It only waits, so its state was removed from memory. */
interface ParkedRun {
  readonly pipeline: Pipeline
  /** The time on the timeline at which the run must be checked, even without news. */
  readonly wakeAt: number
  /** Set while its records are being read. Resolves when the run is active again. */
  resuming?: Promise<void>
}

/**
 * Called when a run is no longer active in this process. If there is no reason, the run has ended. Otherwise the reason
 * is PARKED, or says why the work stopped here.
 */
type LeftListener = (runId: string, reason: unknown) => void

const PARK_AFTER_MS = 1_000
const READ_AGAIN_AFTER_MS = 1_000

/**
 * The runs of one process: active and parked. A parked run is resumed from its records when its wait ends, when a
 * message for it arrives, or when it times out.
 */
export class ActiveRuns {
  readonly live = new Map<string, Live>()
  readonly #parked = new Map<string, ParkedRun>()
  readonly #waits = new Waits((runId) => void this.unpark(runId))
  readonly #lastRunOf: (pipeline: string) => Promise<LastRun | undefined>
  readonly #deps: DriverDeps
  readonly #watchers = new Set<(event: RunEvent) => void>()
  #left: LeftListener | undefined

  constructor(deps: DriverDeps) {
    this.#deps = deps
    this.#lastRunOf = lastRuns(deps.store)
  }

  /** Must be called before the first run is active. */
  onLeft(listener: LeftListener): void {
    this.#left = listener
  }

  /** Calls the watcher for every event from now on, until the returned function is called. */
  watch(watcher: (event: RunEvent) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  has(runId: string): boolean {
    return this.live.has(runId) || this.#parked.has(runId)
  }

  get waits(): number {
    return this.#waits.size
  }

  /** Starts work on a run of this owner, from its records as they are stored. Otherwise like `activate`. */
  takeUp(
    runId: string,
    stored: readonly StoredRecord[],
    pipeline: Pipeline,
    how: { pending?: number; sent?: readonly SentMessage[] } = {},
  ): void {
    const { records, sealing } = openRun(runId, stored, { pipeline, env: this.#deps.env, sent: how.sent })
    this.activate(runId, records, pipeline, { ...how, sealing })
  }

  /**
   * Starts work on a run of this owner. Watchers have not received the last `pending` of its records yet. If one of the
   * `sent` messages cancels the run, the run begins nothing more.
   */
  activate(
    runId: string,
    records: readonly StoredRecord[],
    pipeline: Pipeline,
    {
      pending = 0,
      sent = [],
      sealing = sealingOf(pipeline, this.#deps.env),
    }: { pending?: number; sent?: readonly SentMessage[]; sealing?: Sealing } = {},
  ): void {
    const deps = this.#deps
    const folded = foldRecords(records.map((stored) => deps.timeline.lived(stored)))
    // Otherwise each run of a document would keep its own copy of the text.
    const state = { ...folded, submission: { ...folded.submission, text: pipeline.text } }
    const { stepTypes, approvalsNotBy, env } = deps
    const facts = { runId, pipeline, state, stepTypes, approvalsNotBy, env: visibleEnv(pipeline, env) }
    const emitted = (event: RunEvent) => {
      for (const watcher of this.#watchers) watcher(event)
    }
    const run = new LiveRun(facts, { records, pending }, { ...deps, sealing, emitted })
    const cancel = sent.find((one) => one.runId === runId && one.message.kind === 'cancel')
    // The cancellation takes effect immediately. If it cannot be recorded, the work on the run ends.
    if (cancel) run.receive(cancel.message).catch(() => undefined)
    const end = this.#drive(run).finally(() => {
      this.live.delete(runId)
      if (run.stopped.reason === PARKED) this.#park(run)
      else this.#waits.endAll(runId, run.stopped.reason)
      this.#left?.(runId, run.stopped.reason)
    })
    // Whoever follows the events gets the error. If nobody follows them, the error is ignored, and the run stays as
    // recorded.
    end.catch(() => undefined)
    this.live.set(runId, { run, end })
  }

  /** Resumes a parked run. Does nothing if the run is not parked. Resolves when it is active. */
  async unpark(runId: string): Promise<void> {
    const parked = this.#parked.get(runId)
    if (!parked) return
    parked.resuming ??= this.#resume(runId, parked)
    await parked.resuming
  }

  /**
   * Parks idle runs if there are many, and resumes runs that have timed out. Returns the number of milliseconds until
   * the next run times out.
   */
  tend(): number {
    const now = this.#deps.timeline.now()
    const { parkAfterMs = PARK_AFTER_MS, unparked = 0 } = this.#deps
    const isFull = this.live.size > unparked
    for (const { run } of isFull ? this.live.values() : []) if (run.restsSince(now - parkAfterMs)) run.stop(PARKED)
    let next = NEVER
    for (const [runId, { wakeAt }] of this.#parked) {
      if (wakeAt <= now) void this.unpark(runId)
      else next = Math.min(next, wakeAt)
    }
    return next - now
  }

  /** Ends the work on a run that this process no longer owns. */
  lose(runId: string, reason: unknown): void {
    if (this.#parked.delete(runId)) this.#waits.endAll(runId, reason)
    this.live.get(runId)?.run.stop(reason)
  }

  /** Ends the waits of all parked runs and returns the ids of these runs. This process will not resume them. */
  abandon(reasonFor: (runId: string) => unknown): readonly string[] {
    const parked = [...this.#parked.keys()]
    this.#parked.clear()
    for (const runId of parked) this.#waits.endAll(runId, reasonFor(runId))
    return parked
  }

  async #drive(run: LiveRun): Promise<void> {
    const { pipeline, state } = run.facts
    const learning = learningSteps(stepsOf(pipeline))
    const readsMore = state.last === undefined && (pipeline.readsLast || learning.length > 0)
    if (readsMore) await this.#noteLast(run, learning)
    await driveRun(run, { ...this.#deps, waits: this.#waits })
  }

  /**
   * Notes what the run learns from earlier runs. This happens when it begins, because other runs may have ended while
   * it was queued.
   */
  async #noteLast(run: LiveRun, learning: ReturnType<typeof learningSteps>): Promise<void> {
    const { store } = this.#deps
    const { pipeline } = run.facts
    try {
      const last = pipeline.readsLast ? run.sealing.open(await this.#lastRunOf(pipeline.name)) : undefined
      const guards: LearnedGuard[] = []
      for (const step of learning) guards.push(learnFrom(await store.guardValues(learnable(pipeline, step)), step))
      void run.record({ type: 'last.noted', last, guards: guards.length > 0 ? guards : undefined })
    } catch (error) {
      run.stop(error)
    }
  }

  /** The run stays parked until its records are read, so that no message and no end of a wait is lost. */
  async #resume(runId: string, parked: ParkedRun): Promise<void> {
    const { store, timeline } = this.#deps
    try {
      const records = await store.records(runId)
      // The run may have been lost or abandoned in the meantime.
      if (this.#parked.get(runId) !== parked) return
      this.takeUp(runId, records, parked.pipeline)
      this.#parked.delete(runId)
    } catch {
      // If the state cannot be read now, this is tried again soon.
      const wakeAt = timeline.now() + READ_AGAIN_AFTER_MS
      if (this.#parked.get(runId) === parked) this.#parked.set(runId, { pipeline: parked.pipeline, wakeAt })
    }
  }

  #park({ facts, atRest }: LiveRun): void {
    const { runId, pipeline } = facts
    const now = this.#deps.timeline.now()
    const { records, starts, wakeAt = Number.POSITIVE_INFINITY } = decide(facts, now)
    const ends = starts.map((start) => outOfTimeAt(facts, start, now)?.at ?? Number.POSITIVE_INFINITY)
    this.#parked.set(runId, { pipeline, wakeAt: Math.min(wakeAt, ...ends) })
    // If the process was paused, the wait may have ended already. In that case, nothing else wakes the run.
    const isDue = records.length > 0 || starts.some(({ ref }) => !atRest?.has(stepKey(ref)))
    if (isDue || this.#waits.hasNews(runId)) void this.unpark(runId)
  }
}

/** Puts cancels before decisions, so that a decision does not start anything in a cancelled run. */
export function cancelsFirst(sent: readonly SentMessage[]): SentMessage[] {
  const place = ({ message }: SentMessage) => (message.kind === 'cancel' ? 0 : 1)
  return sent.toSorted((a, b) => place(a) - place(b))
}
