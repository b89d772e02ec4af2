import type { SteadyClock } from '../core/clock.ts'
import { DAY_MS } from '../core/duration.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import { formatTimeLimit } from '../core/format/duration-text.ts'
import { formatNumber } from '../core/format/figures.ts'

/** The clock of one process of a world. When that process is killed, nothing in it wakes again. */
export interface WorldClock extends SteadyClock {
  /**
   * `turn` gives a name to data on its way through the network. Data that arrives at the same moment arrives in the
   * order of these names. An arrival itself is not a reason to poll, but its consequences may be.
   */
  sleep(ms: number, signal?: AbortSignal, dueMs?: number, turn?: Turn): Promise<void>
  /** From now on, nothing that sleeps on this clock wakes. */
  kill(): void
}

/** Returns the name that decides who comes first. Called only if two sleepers wake at the same moment. */
export type Turn = () => string

interface Sleeper {
  readonly dueAt: number
  readonly turn: Turn
  readonly order: number
  /** For a sleeper that only polls: when something is due for it. */
  readonly restsUntil: number | undefined
  /** Whether waking it counts as an event, so that polling sleepers check. */
  readonly stirs: boolean
  readonly wake: () => void
}

/** How long a process continues to poll after an event, because one poll may wait for what another one changes. */
const LOOK_MS = 2_000
const NO_TURN: Turn = () => ''

/**
 * The time of a world. It stands still while anything is in progress, and then leaps to what is due next. Something is
 * in progress while Node waits for it: a request, a file, a query, a process, a thread. So nothing needs to be counted
 * or polled.
 */
export class VirtualTime {
  readonly #start: number
  #now: number
  readonly #sleepers = new Set<Sleeper>()
  #orders = 0
  #leaps = 0
  /** When the last event happened. */
  #stirredAt: number

  /** `start`: milliseconds since 1970. */
  constructor(start: number) {
    this.#start = start
    this.#now = start
    this.#stirredAt = start
  }

  now = (): number => this.#now

  /** How often a sleeper was woken. */
  get leaps(): number {
    return this.#leaps
  }

  /** A clock for one process of the world. */
  clock(): WorldClock {
    const own = new Set<Sleeper>()
    let isKilled = false
    const add = (ms: number, wake: () => void, { dueMs = ms, turn = NO_TURN, stirs = true } = {}): Sleeper => {
      const sleeper: Sleeper = {
        dueAt: this.#now + Math.max(0, Math.ceil(ms)),
        turn,
        order: ++this.#orders,
        restsUntil: dueMs > ms ? this.#now + dueMs : undefined,
        stirs,
        wake: () => {
          remove(sleeper)
          wake()
        },
      }
      if (isKilled) return sleeper
      own.add(sleeper)
      this.#sleepers.add(sleeper)
      return sleeper
    }
    const remove = (sleeper: Sleeper) => {
      own.delete(sleeper)
      this.#sleepers.delete(sleeper)
    }
    return {
      now: this.now,
      steady: () => this.#now - this.#start,
      sleep: (ms, signal, dueMs, turn) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason)
          const abort = () => {
            remove(sleeper)
            reject(signal?.reason)
          }
          const sleeper = add(
            ms,
            () => {
              signal?.removeEventListener('abort', abort)
              resolve()
            },
            { dueMs: dueMs ?? ms, turn: turn ?? NO_TURN, stirs: dueMs === undefined && turn === undefined },
          )
          signal?.addEventListener('abort', abort, { once: true })
        }),
      timer: (ms, ring) => {
        let sleeper = add(ms, ring)
        const cancel = () => remove(sleeper)
        return {
          cancel,
          refresh() {
            cancel()
            sleeper = add(ms, ring)
          },
        }
      },
      kill: () => {
        isKilled = true
        for (const sleeper of own) remove(sleeper)
      },
    }
  }

  /** Something happened that no sleeper was waiting for, so polling sleepers check now. */
  stir(): void {
    this.#stirredAt = this.#now
  }

  /** Resolves as soon as nothing is in progress. */
  idle(): Promise<void> {
    listen()
    return new Promise((resolve) => {
      waiting.push(resolve)
    })
  }

  /** Leaps to what is due next, if it is due by `until`, and wakes one sleeper. False if there is none. */
  next(until = Number.POSITIVE_INFINITY): boolean {
    let first: Sleeper | undefined
    let at = Number.POSITIVE_INFINITY
    // There are many sleepers, and this loop runs for each leap.
    for (const sleeper of this.#sleepers) {
      const dueAt = this.#dueAt(sleeper)
      if (dueAt > at || (dueAt === at && first && !isBefore(sleeper, first))) continue
      first = sleeper
      at = dueAt
    }
    if (!first || at > until || at === Number.POSITIVE_INFINITY) return false
    this.#now = Math.max(this.#now, at)
    this.#leaps += 1
    if (first.stirs) this.stir()
    first.wake()
    return true
  }

  /** Leaps to a moment at which nothing is due. */
  leapTo(at: number): void {
    this.#now = Math.max(this.#now, at)
  }

  #dueAt({ dueAt, restsUntil = dueAt }: Sleeper): number {
    return dueAt <= this.#stirredAt + LOOK_MS ? dueAt : restsUntil
  }
}

/** Callers that are waiting until nothing is in progress. */
const waiting: (() => void)[] = []
let isListening = false

/** Listens once for all leaps, because Node does more work for a new listener than for a leap. */
function listen(): void {
  if (isListening) return
  isListening = true
  process.on('beforeExit', () => {
    // Node would end if it had nothing to wait for.
    if (waiting.length > 0) setImmediate(() => undefined)
    for (const resolve of waiting.splice(0)) resolve()
  })
}

/** Which of two sleepers that wake at the same moment comes first. */
function isBefore(one: Sleeper, other: Sleeper): boolean {
  if (one.turn === other.turn) return one.order < other.order
  const [turn, otherTurn] = [one.turn(), other.turn()]
  return turn === otherTurn ? one.order < other.order : turn < otherTurn
}

/** How long a run may take. A run that takes longer counts as hanging. */
export const LONGEST_MS = 40 * DAY_MS
/** How often time may leap in one event: enough to poll a job for two weeks, or about a minute of processor time. */
export const MOST_LEAPS = 1_000_000

/** The error if the expected event has not occurred, and nothing suggests that it will. */
export function noEnd(): AudienceError {
  return failedError(
    'no-end',
    `it takes more than ${formatTimeLimit(LONGEST_MS)}, or ${formatNumber(MOST_LEAPS)} leaps of time`,
  )
}
