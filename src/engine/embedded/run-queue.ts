import type { Pipeline } from '../../core/pipeline.ts'
import type { Timeline } from '../../runs/timeline.ts'
import type { Journal } from '../../state/journal.ts'

/** The runs that were queued in this process. It starts them when they are admitted. */
export class RunQueue {
  /** Their documents, to avoid parsing them again. */
  readonly #documents = new Map<string, Pipeline>()
  readonly #deps: RunQueueDeps
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

  add(runId: string, document: Pipeline): void {
    this.#documents.set(runId, document)
  }

  /** Removes a run; returns its document if it was queued here. */
  take(runId: string): Pipeline | undefined {
    const document = this.#documents.get(runId)
    this.#documents.delete(runId)
    return document
  }

  /** Admits runs for which there is room. `orphans`: also runs that no living process owns. */
  async admit(orphans: boolean): Promise<void> {
    if (this.#state !== 'idle') {
      this.#state = 'again'
      return
    }
    const { journal, timeline, room, begin, isBegun } = this.#deps
    try {
      do {
        this.#state = 'admitting'
        const admitted = await journal.admit({ at: timeline.wall(), room: room(), orphans, isBegun })
        await Promise.allSettled(admitted.map(begin))
      } while (this.#hasChanged())
    } finally {
      this.#state = 'idle'
    }
  }

  #hasChanged(): boolean {
    return this.#state === 'again'
  }
}

interface RunQueueDeps {
  readonly journal: Pick<Journal, 'admit'>
  readonly timeline: Timeline
  /** How many more runs may begin. */
  readonly room: () => number
  /** Whether this process works on a run already: one that is cancelled in its queue begins without being admitted. */
  readonly isBegun: (runId: string) => boolean
  /** Begins a run that was admitted. */
  readonly begin: (runId: string) => Promise<void>
}
