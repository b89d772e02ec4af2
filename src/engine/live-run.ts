import type { Clock } from '../core/clock.ts'
import type { StepProgress } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { Journal, RunMessage } from '../core/journal.ts'
import type { Step } from '../core/pipeline.ts'
import type { RunRecord, StepRef, StoredRecord } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import { eventOf, progressEvent } from './event-of.ts'
import type { RunFacts } from './run-facts.ts'
import { applyRecord, stepKey } from './run-state.ts'

/** Why the signal of a step aborts when its run is cancelled. */
export const RUN_CANCELLED = new AudienceError({ code: 'cancelled', kind: 'failed', message: 'the run was cancelled' })

/** Is told every event; `seq` is its record's, and missing where nothing is recorded of it. */
export type RunListener = (event: RunEvent, seq?: number) => void

/**
 * A run that this process goes on with: the only place where its records are made. A record counts for decisions at
 * once; it is told to watchers when it is durable. The journal keeps the order, so whoever waits for one record has
 * waited for all before it.
 */
export class LiveRun {
  readonly facts: RunFacts
  /** Aborts when this process stops working on the run. */
  readonly stopped: AbortSignal
  /** Aborts when what was let finish after that has to end too. */
  readonly graceOver: AbortSignal
  readonly #journal: Journal
  readonly #clock: Clock
  /** Aborts with `stopped`, and when the run is cancelled. */
  readonly #working = new AbortController()
  readonly #stopping = new AbortController()
  readonly #ending = new AbortController()
  readonly #listeners = new Set<RunListener>()
  #nextSeq: number
  #nudge = Promise.withResolvers<void>()

  constructor(facts: RunFacts, nextSeq: number, means: { journal: Journal; clock: Clock }) {
    this.facts = facts
    this.stopped = this.#stopping.signal
    this.graceOver = this.#ending.signal
    this.#journal = means.journal
    this.#clock = means.clock
    this.#nextSeq = nextSeq
    if (facts.state.cancelRequested) this.#working.abort(RUN_CANCELLED)
  }

  /** Adds a record; resolves when it is durable. A journal that fails ends the work on the run, and never fails a step. */
  async record(record: RunRecord): Promise<void> {
    const stored: StoredRecord = { seq: this.#nextSeq++, at: this.#clock.now(), record }
    const event = eventOf(this.facts, stored)
    applyRecord(this.facts.state, stored)
    try {
      await this.#journal.append(this.facts.runId, [stored])
    } catch (error) {
      this.stop(error)
      throw error
    }
    if (event) this.#tell(event, stored.seq)
  }

  /** Tells watchers about progress; a job's status is kept too, bytes are not. */
  report(ref: StepRef, progress: StepProgress): void {
    if (progress.kind === 'bytes') {
      this.#tell(progressEvent(this.facts.runId, this.#clock.now(), ref, progress))
      return
    }
    const { jobId, status, waitedMs } = progress
    this.record({ type: 'job.status', ...ref, jobId, status, waitedMs }).catch(() => {
      // The run has stopped with this error already.
    })
  }

  /** Does what a message from outside wants, and asks for a new look at the run. One that is no longer apt changes nothing. */
  async receive(message: RunMessage): Promise<void> {
    const { state } = this.facts
    if (state.finished) return
    if (message.kind === 'cancel') {
      if (state.cancelRequested) return
      await this.record({ type: 'cancel.requested' })
      this.#working.abort(RUN_CANCELLED)
    } else {
      if (!state.steps.get(stepKey(message.ref))?.waiting) return
      await this.record({ type: 'decision.made', ...message.ref, decision: message.decision })
    }
    this.#wake()
  }

  /** Resolves with the next change from outside. */
  get nudged(): Promise<void> {
    return this.#nudge.promise
  }

  /** Aborts when the work of a step is to end: the process stops, or the run was cancelled. `finally` is not cancelled. */
  lifeOf(step: Step): AbortSignal {
    return this.facts.pipeline.finally.includes(step) ? this.stopped : this.#working.signal
  }

  /** Calls back for every event from now on, until the returned function is called. */
  listen(listener: RunListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends also what was let finish. */
  end(reason: unknown): void {
    this.#ending.abort(reason)
  }

  stop(reason: unknown): void {
    this.#stopping.abort(reason)
    this.#working.abort(reason)
    this.#wake()
  }

  #wake(): void {
    this.#nudge.resolve()
    this.#nudge = Promise.withResolvers()
  }

  #tell(event: RunEvent, seq?: number): void {
    for (const listener of this.#listeners) listener(event, seq)
  }
}
