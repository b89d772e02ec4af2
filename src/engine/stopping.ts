import { AudienceError } from '../core/errors.ts'

/** The reason why the work on a run ends when its process stops. */
export function interrupted(runId: string): AudienceError {
  return new AudienceError({
    code: 'interrupted',
    kind: 'interrupted',
    message: `run ${runId} was interrupted`,
    hint: `go on with it: audience runs resume ${runId}`,
  })
}

/** An AbortController that costs nothing until its signal is read: there are many runs, and few are stopped. */
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

  /** The first reason stays. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason }
    this.#controller?.abort(reason)
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#aborted.reason
  }
}
