import type { StepProgress, WaitContext } from '../core/engine.ts'

/** The reason with which the signal of an attempt aborts when its run is parked. The wait of the attempt continues. */
export const PARKED = new Error('the run is parked')

type Outcome = { readonly value: unknown } | { readonly error: unknown }

interface Wait {
  readonly ending: AbortController
  outcome?: Outcome
  /** Reports that arrived while no attempt was listening. */
  unheard?: StepProgress[]
  /** The attempt that is waiting now; undefined while the run is parked. */
  attempt?: { settle(outcome: Outcome): void; report(progress: StepProgress): void }
}

/** The attempt that waits. */
interface WaitingAttempt {
  readonly signal: AbortSignal
  report(progress: StepProgress): void
  /**
   * Called when the attempt no longer waits, before anything else happens, so that the run is not parked in between.
   */
  over(): void
}

/**
 * The waits of attempts for work that continues without them, such as jobs. If the run is parked, a wait outlives the
 * attempt that began it. `wake` is called when there is news for a run but none of its attempts is listening.
 */
export class Waits {
  readonly #byRun = new Map<string, Map<string, Wait>>()
  readonly #wake: (runId: string) => void

  constructor(wake: (runId: string) => void) {
    this.#wake = wake
  }

  /** The number of waits. */
  get size(): number {
    let size = 0
    for (const waits of this.#byRun.values()) size += waits.size
    return size
  }

  /** Whether a run's waits have news that no attempt has received. */
  hasNews(runId: string): boolean {
    return [...(this.#byRun.get(runId)?.values() ?? [])].some((wait) => wait.outcome || wait.unheard)
  }

  /**
   * Joins the wait that an earlier attempt of a parked run began under the same key, or begins a new one. When the
   * signal aborts, the wait ends, too, unless the run is parked.
   */
  join<T>(runId: string, key: string, begin: (deps: WaitContext) => Promise<T>, attempt: WaitingAttempt): Promise<T> {
    const { signal, report } = attempt
    const wait = this.#byRun.get(runId)?.get(key) ?? this.#begin(runId, key, begin)
    return new Promise((resolve, reject) => {
      const leave = () => {
        attempt.over()
        delete wait.attempt
        if (signal.reason !== PARKED) this.#end(runId, key, signal.reason)
        reject(signal.reason)
      }
      const settle = (outcome: Outcome) => {
        signal.removeEventListener('abort', leave)
        attempt.over()
        this.#end(runId, key, undefined)
        if ('error' in outcome) reject(outcome.error)
        // The result has this type, because the same `begin` made it.
        else resolve(outcome.value as T)
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      wait.attempt = { settle, report }
      for (const progress of wait.unheard ?? []) report(progress)
      delete wait.unheard
      if (wait.outcome) settle(wait.outcome)
    })
  }

  /** Ends all waits of a run. */
  endAll(runId: string, reason: unknown): void {
    for (const key of [...(this.#byRun.get(runId)?.keys() ?? [])]) this.#end(runId, key, reason)
  }

  #begin<T>(runId: string, key: string, begin: (deps: WaitContext) => Promise<T>): Wait {
    const wait: Wait = { ending: new AbortController() }
    const waits = this.#byRun.get(runId) ?? new Map<string, Wait>()
    this.#byRun.set(runId, waits.set(key, wait))
    const report = (progress: StepProgress) => {
      if (wait.attempt) return wait.attempt.report(progress)
      wait.unheard = [...(wait.unheard ?? []), progress]
      this.#wake(runId)
    }
    const settle = (outcome: Outcome) => {
      wait.outcome = outcome
      if (wait.attempt) wait.attempt.settle(outcome)
      else if (waits.get(key) === wait) this.#wake(runId)
    }
    Promise.try(begin, { signal: wait.ending.signal, report }).then(
      (value) => settle({ value }),
      (error: unknown) => settle({ error }),
    )
    return wait
  }

  #end(runId: string, key: string, reason: unknown): void {
    const waits = this.#byRun.get(runId)
    const wait = waits?.get(key)
    if (!waits || !wait) return
    waits.delete(key)
    if (waits.size === 0) this.#byRun.delete(runId)
    if (!wait.outcome) wait.ending.abort(reason)
  }
}
