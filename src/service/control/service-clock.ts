import type { Clock } from '../../core/clock.ts'

/** How the service's time differs from the machine's. */
export interface ClockState {
  /** How many milliseconds the service is ahead of the machine while it is not frozen. */
  readonly offsetMs: number
  /** The time at which it is frozen, in milliseconds since 1970; null while it runs. */
  readonly frozenAt: number | null
}

/** The clock for jobs: the machine's time until the control API freezes or advances it. It never goes back. */
export interface ServiceClock extends Clock {
  state(): ClockState
  /** How many milliseconds it is ahead of the machine; negative if it is behind. */
  aheadMs(): number
  freeze(): void
  /** Lets the clock run again from its current time, which may be behind the machine's time. */
  thaw(): void
  /** Moves the time forward to `at` immediately. An earlier time changes nothing. */
  moveTo(at: number): void
  /** Replaces the state of the clock, for example with the state in a snapshot. */
  set(state: ClockState): void
}

export const RUNNING_WITH_THE_MACHINE: ClockState = { offsetMs: 0, frozenAt: null }

/** Makes the clock. Calls `keep` on every change, so that the next start resumes with the same time. */
export function createServiceClock(wall: Clock, start: ClockState, keep: (state: ClockState) => void): ServiceClock {
  let state = start
  /** The sleepers. They check the time again after every change. */
  const sleepers = new Set<AbortController>()
  const now = () => state.frozenAt ?? wall.now() + state.offsetMs
  // How far the service is ahead of the machine. Not derived from `now()` while it runs, because the machine's time
  // moves on between two readings.
  const aheadMs = () => (state.frozenAt === null ? state.offsetMs : state.frozenAt - wall.now())
  const set = (next: ClockState) => {
    state = next
    for (const sleeper of sleepers) sleeper.abort()
  }
  const change = (next: ClockState) => {
    keep(next)
    set(next)
  }

  return {
    now,
    async sleep(ms, signal, dueMs = ms) {
      const until = now() + ms
      const due = now() + dueMs
      while (now() < until) {
        signal?.throwIfAborted()
        const turn = new AbortController()
        const stop = () => turn.abort(signal?.reason)
        signal?.addEventListener('abort', stop, { once: true })
        sleepers.add(turn)
        try {
          if (state.frozenAt === null) await wall.sleep(until - now(), turn.signal, due - now())
          else await wall.sleep(LONG_MS, turn.signal, Number.POSITIVE_INFINITY)
        } catch (error) {
          if (!turn.signal.aborted) throw error
        } finally {
          sleepers.delete(turn)
          signal?.removeEventListener('abort', stop)
        }
      }
      signal?.throwIfAborted()
    },
    state: () => state,
    aheadMs,
    set,
    freeze: () => change({ ...state, frozenAt: now() }),
    thaw: () => change({ offsetMs: aheadMs(), frozenAt: null }),
    moveTo(at) {
      const passedMs = at - now()
      if (passedMs <= 0) return
      if (state.frozenAt === null) change({ ...state, offsetMs: state.offsetMs + passedMs })
      else change({ ...state, frozenAt: at })
    },
  }
}

/** Practically forever: while time is frozen, only a change wakes a sleeper. */
const LONG_MS = 24 * 60 * 60 * 1000
