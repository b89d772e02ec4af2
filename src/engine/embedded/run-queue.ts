import { backoffDelay } from '../../core/delays.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { Timeline } from '../../runs/timeline.ts'
import type { Journal } from '../../state/journal.ts'

/** The runs that were queued in this process. Starts them when they are admitted. */
export class RunQueue {
  /** Their documents, to avoid parsing them again. */
  readonly #documents = new Map<string, Pipeline>()
  readonly #beginning = new Set<string>()
  readonly #deps: RunQueueDeps
  /** The last admission. */
  #admission: Promise<void> | undefined
  /** `again`: something changed while runs were being admitted. */
  #state: 'idle' | 'admitting' | 'again' = 'idle'

  constructor(deps: RunQueueDeps) {
    this.#deps = deps
  }

  get ids(): readonly string[] {
    return [...this.#documents.keys()]
  }

  get isEmpty(): boolean {
    return this.#documents.size === 0
  }

  /** The admitted runs that are about to begin. They count as active runs, and no check may begin them. */
  get beginning(): ReadonlySet<string> {
    return this.#beginning
  }

  add(runId: string, document: Pipeline): void {
    this.#documents.set(runId, document)
  }

  /** Removes a run. Returns its document if it was queued here. */
  take(runId: string): Pipeline | undefined {
    const document = this.#documents.get(runId)
    this.#documents.delete(runId)
    return document
  }

  /** Admits runs for which there is room. With `orphans`, also admits runs that no living process owns. */
  async admit(orphans: boolean): Promise<void> {
    if (this.#state !== 'idle') {
      this.#state = 'again'
      return
    }
    this.#admission = this.#admit(orphans)
    await this.#admission
  }

  /** Resolves when the run has begun, if it is about to. */
  async begun(runId: string): Promise<void> {
    if (this.#beginning.has(runId)) await this.#admission?.catch(() => undefined)
  }

  async #admit(orphans: boolean): Promise<void> {
    const { journal, timeline, isBegun } = this.#deps
    try {
      do {
        this.#state = 'admitting'
        const admission = { at: timeline.wall(), orphans, isBegun, room: () => this.#room(), taken: this.#taken }
        const admitted = await journal.admit(admission)
        await Promise.allSettled(admitted.map((runId) => this.#begin(runId)))
      } while (this.#hasChanged())
    } finally {
      this.#state = 'idle'
      this.#beginning.clear()
    }
  }

  /**
   * How many more runs may begin. Runs that were taken earlier do not count, because the runs to begin are now chosen
   * again.
   */
  #room(): number {
    this.#beginning.clear()
    return this.#deps.room()
  }

  readonly #taken = (runIds: readonly string[]) => {
    for (const runId of runIds) this.#beginning.add(runId)
  }

  async #begin(runId: string): Promise<void> {
    await this.#deps.begin(runId).finally(() => {
      this.#beginning.delete(runId)
    })
  }

  #hasChanged(): boolean {
    return this.#state === 'again'
  }
}

interface RunQueueDeps {
  journal: Pick<Journal, 'admit'>
  timeline: Timeline
  /** How many more runs may begin. */
  room: () => number
  /**
   * Whether this process is already working on a run. A run that is cancelled in its queue begins without an admission.
   */
  isBegun: (runId: string) => boolean
  /** Begins a run that was admitted. */
  begin: (runId: string) => Promise<void>
}

const DELAYS = { firstMs: 1000, longestMs: 30_000 } as const

/**
 * The runs that a process owns but is not working on, because a record could not be written or resuming failed. The
 * delays between retries grow, so that this process does not try constantly while the disk is full.
 */
export class StuckRuns {
  readonly #attempts = new Map<string, { count: number; nextAt: number }>()
  #ids: readonly string[] = []

  /** The runs that were stuck when last checked. */
  get ids(): readonly string[] {
    return this.#ids
  }

  /** Records which runs are stuck now, and returns the runs to retry now. `now` is a steady time in milliseconds. */
  due(ids: readonly string[], now: number): readonly string[] {
    this.#ids = ids
    const due = ids.filter((runId) => (this.#attempts.get(runId)?.nextAt ?? now) <= now)
    for (const runId of due) {
      const count = 1 + (this.#attempts.get(runId)?.count ?? 0)
      this.#attempts.set(runId, { count, nextAt: now + backoffDelay(DELAYS, count) })
    }
    this.#forgetBefore(now - 2 * DELAYS.longestMs)
    return due
  }

  /** A run that gets stuck again soon after it was resumed keeps its delay. */
  #forgetBefore(at: number): void {
    for (const [runId, { nextAt }] of this.#attempts) if (nextAt < at) this.#attempts.delete(runId)
  }
}
