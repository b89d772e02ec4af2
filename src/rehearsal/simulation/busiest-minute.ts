import type { StandIns } from '../world.ts'

const MINUTE_MS = 60_000

type Request = Parameters<NonNullable<StandIns['onRequest']>>[0]

/** Finds the minute with the most requests; the requests of that minute alone are kept. */
export class BusiestMinute {
  #minute = Number.NaN
  #now: Request[] = []
  #best: { readonly minute: number; readonly requests: readonly Request[] } | undefined

  note = (request: Request, at: number): void => {
    const minute = Math.floor(at / MINUTE_MS)
    if (minute !== this.#minute) this.#close(minute)
    this.#now.push(request)
  }

  /** When it begins, and its requests; undefined if there was none. */
  get busiest(): { readonly at: number; readonly requests: readonly Request[] } | undefined {
    this.#close(this.#minute)
    return this.#best && { at: this.#best.minute * MINUTE_MS, requests: this.#best.requests }
  }

  #close(next: number): void {
    if (this.#now.length > (this.#best?.requests.length ?? 0))
      this.#best = { minute: this.#minute, requests: this.#now }
    this.#now = []
    this.#minute = next
  }
}
