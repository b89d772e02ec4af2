import type { StepProgress } from '../core/engine.ts'
import { failedError } from '../core/errors.ts'
import {
  asksPartner,
  type RunRecord,
  type Signed,
  type StepRef,
  type StoredRecord,
  signatureOf,
  stepKey,
} from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { Sealing } from '../core/sealing.ts'
import type { Secrets } from '../core/secrets.ts'
import { refusedDecision } from '../runs/approval-terms.ts'
import type { AttemptStart } from '../runs/decision.ts'
import { eventOf, progressEvent } from '../runs/event-of.ts'
import type { RunFacts } from '../runs/run-facts.ts'
import { applyRecord } from '../runs/run-state.ts'
import { answeredBy, unblockedBy } from '../runs/step-waits.ts'
import type { Timeline } from '../runs/timeline.ts'
import type { RunMessage } from '../state/run-history.ts'
import { type NewRecord, type RunStore, RunTakenOverError } from '../state/run-store.ts'
import { cleanRecord } from './sealed-runs.ts'
import { LazyAbort } from './stopping.ts'

/** The reason with which the signal of a step aborts when its run is cancelled. */
export const RUN_CANCELLED = failedError('cancelled', 'the run was cancelled')

/** Receives every event. */
export type RunListener = (event: RunEvent) => void

/** An event, and the position of its record. */
export interface EmittedEvent {
  readonly event: RunEvent
  readonly seq: number
}

/** The records of one turn of the event loop. They are appended together. */
interface Batch {
  readonly records: NewRecord[]
  readonly events: EmittedEvent[]
  /** Resolves when they are durable. */
  readonly written: Promise<void>
}

/**
 * A run that this process is working on. Only this class creates its records. A record counts for decisions
 * immediately. Watchers get it when it is durable. The store keeps the order, so waiting for one record waits for all
 * records before it.
 */
export class LiveRun {
  readonly facts: RunFacts
  /** The position of the first record that `emitted` can contain. Earlier records are only in the store. */
  readonly firstSeq: number
  /** The events from that position on, in order. */
  readonly emitted: EmittedEvent[] = []
  /** Aborts when this process stops working on the run. */
  readonly stopped = new LazyAbort()
  /** Aborts when the work that was still allowed to finish must end. */
  readonly graceOver = new LazyAbort()
  /** The attempts that only wait for work that continues without this process. */
  readonly waiting = new Set<string>()
  /** The keys of all active attempts, if the driver itself only waits for changes; otherwise undefined. */
  atRest: ReadonlySet<string> | undefined
  /** Replaces the secrets of its document in what is stored. */
  readonly sealing: Sealing
  readonly #redactData: Secrets['redactData'] | undefined
  readonly #store: Pick<RunStore, 'append' | 'owns'>
  readonly #timeline: Timeline
  readonly #emitToEngine: RunListener
  /** Aborts with `stopped`, and when the run is cancelled. */
  readonly #working = new LazyAbort()
  readonly #listeners = new Set<RunListener>()
  #nextSeq: number
  #cancelling: Promise<void> | undefined
  /** Collects records until the store takes them. */
  #batch: Batch | undefined
  #unwritten = 0
  #lastRecordAt: number
  #nudge = Promise.withResolvers<void>()

  /** Begins with the run's records. Watchers have not received the last `pending` of them yet. */
  constructor(
    facts: RunFacts,
    { records, pending }: { records: readonly StoredRecord[]; pending: number },
    deps: {
      store: Pick<RunStore, 'append' | 'owns'>
      timeline: Timeline
      emitted: RunListener
      sealing: Sealing
      redactData?: Secrets['redactData']
    },
  ) {
    this.facts = facts
    this.firstSeq = records.length - pending
    this.sealing = deps.sealing
    this.#redactData = deps.redactData
    this.#store = deps.store
    this.#timeline = deps.timeline
    this.#emitToEngine = deps.emitted
    this.#nextSeq = records.length
    const last = records.at(-1)
    this.#lastRecordAt = last ? deps.timeline.lived(last).at : deps.timeline.now()
    if (facts.state.cancelRequested) this.#working.abort(RUN_CANCELLED)
    for (const stored of records.slice(this.firstSeq)) {
      const event = eventOf(facts, stored, deps.timeline.lived(stored).at)
      if (event) this.#emitRecorded({ event, seq: stored.seq })
    }
  }

  /**
   * Adds a record, and resolves when it is durable. If the store fails, the work on the run ends, but no step fails. A
   * caller that does not wait for the record need not handle the failure.
   */
  record(given: RunRecord): Promise<void> {
    const record = cleanRecord(given, this.sealing, this.#redactData)
    const stored: StoredRecord = { seq: this.#nextSeq++, at: this.#timeline.wall(), record }
    const lived = this.#timeline.lived(stored)
    const { state } = this.facts
    const event = eventOf(this.facts, stored, lived.at)
    const wasAsked = state.waiting > 0
    const unblocked = unblockedBy(state.steps, record)
    const partnerAnswered = answeredBy(state.steps, record)
    applyRecord(state, lived)
    this.#lastRecordAt = lived.at
    this.#batch ??= this.#beginBatch()
    const answered = wasAsked && state.waiting === 0
    this.#batch.records.push({ ...stored, sealing: this.sealing, answered, unblocked, partnerAnswered })
    if (event) this.#batch.events.push({ event, seq: stored.seq })
    return this.#batch.written
  }

  /**
   * Throws if another process now owns the run, or if the store cannot determine that. In both cases, the work on the
   * run in this process ends without a record. If the store answers synchronously, so does this method.
   */
  assertOwned(): undefined | Promise<() => boolean> {
    const failed = (error: unknown): never => {
      this.stop(error)
      throw error
    }
    const checked = <T>(answer: false | T): T => answer || failed(new RunTakenOverError(this.facts.runId))
    let owns: ReturnType<RunStore['owns']>
    try {
      owns = this.#store.owns(this.facts.runId)
    } catch (error) {
      return failed(error)
    }
    if (typeof owns === 'object') return owns.then(checked, failed)
    checked(owns)
    return undefined
  }

  /** Reports progress to watchers. Also records the status of a job and what a step waits for, but not byte counts. */
  report(ref: StepRef, progress: StepProgress): void {
    switch (progress.kind) {
      case 'bytes':
      case 'look':
      case 'turn':
        this.#emit(progressEvent(this.facts, this.#timeline.wall(), ref, progress))
        return
      case 'job': {
        const { kind: _, ...status } = progress
        const { job, asksPartner: asks = false } = this.facts.state.steps.get(stepKey(ref)) ?? {}
        const isKnown = job?.jobId === status.jobId && job.status === status.status && asks === asksPartner(status)
        if (!isKnown) void this.record({ type: 'job.status', ...ref, ...status })
        return
      }
      case 'claim':
        this.#noteBlocked(ref, progress)
    }
  }

  /**
   * A step that runs again, because its run was parked or moved to another process, may report what has already been
   * recorded.
   */
  #noteBlocked(ref: StepRef, { thing, by }: Extract<StepProgress, { kind: 'claim' }>): void {
    const known = this.facts.state.steps.get(stepKey(ref))?.blocked
    if (by === undefined) {
      if (known?.thing === thing) void this.record({ type: 'step.unblocked', ...ref })
    } else if (known?.thing !== thing || known.by.runId !== by.runId) {
      void this.record({ type: 'step.blocked', ...ref, thing, by })
    }
  }

  /**
   * Acts on a message from outside, and asks for a new decision about the run. An outdated message and a refused
   * decision change nothing.
   */
  async receive(message: RunMessage): Promise<void> {
    const { state } = this.facts
    if (state.finished) return
    if (message.kind === 'cancel') {
      this.#cancelling ??= this.#cancel(signatureOf(message))
      await this.#cancelling
    } else {
      const { ref, decision } = message
      const { waiting, approval = {} } = state.steps.get(stepKey(ref)) ?? {}
      if (!waiting || refusedDecision(stepKey(ref), approval, message)) return
      await this.record({ type: 'decision.made', ...ref, decision, ...signatureOf(message) })
    }
    this.#wake()
  }

  /** Resolves when the cancellation of the run is durable and its work is aborted. */
  get cancelled(): Promise<void> {
    return this.#cancelling ?? Promise.resolve()
  }

  async #cancel(signed: Signed): Promise<void> {
    if (this.facts.state.cancelRequested) return
    await this.record({ type: 'cancel.requested', ...signed })
    this.#working.abort(RUN_CANCELLED)
  }

  /** Resolves when the next change comes from outside. */
  get nudged(): Promise<void> {
    return this.#nudge.promise
  }

  /**
   * Aborts when the work of an attempt must end: the process stops, or the run was cancelled. `finally` is not
   * cancelled.
   */
  lifeOf({ step, item }: Pick<AttemptStart, 'step' | 'item'>): LazyAbort {
    return this.facts.pipeline.finally.includes(item?.of ?? step) ? this.stopped : this.#working
  }

  /** Whether the run is idle: nothing has happened in it since a given time, nobody watches it, and it only waits. */
  restsSince(at: number): boolean {
    return (
      this.#lastRecordAt <= at &&
      this.#unwritten === 0 &&
      this.#listeners.size === 0 &&
      this.atRest?.size === this.waiting.size &&
      !this.facts.state.finished &&
      !this.stopped.aborted
    )
  }

  /** Calls the listener for every event from now on, until the returned function is called. */
  listen(listener: RunListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends the work that was still allowed to finish. */
  end(reason: unknown): void {
    this.graceOver.abort(reason)
  }

  stop(reason: unknown): void {
    this.stopped.abort(reason)
    this.#working.abort(reason)
    this.#wake()
  }

  #wake(): void {
    this.#nudge.resolve()
    this.#nudge = Promise.withResolvers()
  }

  #beginBatch(): Batch {
    const records: NewRecord[] = []
    const events: EmittedEvent[] = []
    const written = this.#write(records, events)
    // If the write fails, `#write` has already stopped the run.
    written.catch(() => undefined)
    return { records, events, written }
  }

  async #write(records: readonly NewRecord[], events: readonly EmittedEvent[]): Promise<void> {
    this.#unwritten += 1
    try {
      await this.#store.append(this.facts.runId, records, () => {
        this.#batch = undefined
      })
    } catch (error) {
      this.stop(error)
      throw error
    } finally {
      this.#unwritten -= 1
    }
    for (const emitted of events) this.#emitRecorded(emitted)
  }

  #emitRecorded(emitted: EmittedEvent): void {
    this.emitted.push(emitted)
    this.#emit(emitted.event)
  }

  #emit(event: RunEvent): void {
    this.#emitToEngine(event)
    for (const listener of this.#listeners) listener(event)
  }
}
