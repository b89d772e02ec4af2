import type { Clock } from '../../core/clock.ts'

/** The loops of a daemon, each of which says that it turns. */
export interface Beats {
  /** Names a loop, and how long it may be silent; call what comes back at each of its turns. It counts as having turned now. */
  loop(name: string, boundMs: number): () => void
  /** The loops that have been silent for longer than they may. */
  stalled(): readonly Stall[]
}

export interface Stall {
  readonly loop: string
  readonly silentMs: number
  readonly boundMs: number
}

/** `steadyMs` never goes back and knows nothing of the date, such as `performance.now`: a clock that is set stalls nothing. */
export function createBeats(steadyMs: () => number): Beats {
  const loops = new Map<string, { readonly boundMs: number; lastMs: number }>()
  return {
    loop(name, boundMs) {
      const loop = { boundMs, lastMs: steadyMs() }
      loops.set(name, loop)
      return () => {
        loop.lastMs = steadyMs()
      }
    },
    stalled() {
      const now = steadyMs()
      return [...loops].flatMap(([loop, { boundMs, lastMs }]) =>
        now - lastMs > boundMs ? [{ loop, silentMs: Math.round(now - lastMs), boundMs }] : [],
      )
    },
  }
}

/** The clock for a loop that sleeps between its turns: each time that it lies down it has turned. */
export function beatingClock(clock: Clock, beat: () => void): Clock {
  return {
    now: () => clock.now(),
    sleep(ms, signal) {
      beat()
      return clock.sleep(ms, signal)
    },
  }
}
