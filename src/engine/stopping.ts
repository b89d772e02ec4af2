import { type AudienceError, interruptedError } from '../core/errors.ts'

/** The error that ends the work on a run when its process stops. */
export function interrupted(runId: string): AudienceError {
  return interruptedError(`run ${runId} was interrupted`, `continue it: audience runs resume ${runId}`)
}

/**
 * An AbortController that needs no memory until its signal is read, because there are many runs and few are stopped.
 */
export class LazyAbort {
  #controller: AbortController | undefined
  #aborted: { readonly reason: unknown } | undefined

  get aborted(): boolean {
    return this.#aborted !== undefined
  }

  get reason(): unknown {
    return this.#aborted?.reason
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  /** Aborts with a reason. If it has aborted already, the first reason stays. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason }
    this.#controller?.abort(reason)
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#aborted.reason
  }
}
