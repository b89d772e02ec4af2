import type { SteadyClock } from '../../core/clock.ts'
import { messageOf } from '../../core/message-of.ts'

/** What a worker logs about its database, for people. */
export type DatabaseEvent =
  | { readonly kind: 'away'; readonly reason: string; readonly since: number }
  | { readonly kind: 'back'; readonly afterMs: number }
  /** DBOS has warned although the database was available. */
  | { readonly kind: 'warning'; readonly text: string }

const MOST_HELD = 20

/**
 * Reports once that the database is unavailable and once that it is back. In between, everything that needs the
 * database fails, and DBOS warns many times a second. So a warning is held until the next heartbeats, and is logged
 * only if they succeed.
 */
export class Outages {
  readonly #clock: SteadyClock
  readonly #tell: (event: DatabaseEvent) => void
  #awaySince: number | undefined
  /** Warnings since the last heartbeat, and earlier ones. */
  #new: string[] = []
  #held: string[] = []

  constructor(clock: SteadyClock, tell: (event: DatabaseEvent) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  warned(text: string): void {
    if (this.#awaySince === undefined && this.#new.length < MOST_HELD) this.#new.push(text)
  }

  /** Call this when a heartbeat has failed or received no answer. */
  missed(error: unknown): void {
    this.#new = []
    this.#held = []
    if (this.#awaySince !== undefined) return
    this.#awaySince = this.#clock.steady()
    this.#tell({ kind: 'away', reason: messageOf(error), since: this.#clock.now() })
  }

  beaten(): void {
    for (const text of this.#held) this.#tell({ kind: 'warning', text })
    this.#held = this.#new
    this.#new = []
    if (this.#awaySince === undefined) return
    this.#tell({ kind: 'back', afterMs: this.#clock.steady() - this.#awaySince })
    this.#awaySince = undefined
  }
}
