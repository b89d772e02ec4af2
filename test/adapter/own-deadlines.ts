import type { SteadyClock } from '../../src/core/clock.ts'
import { fakeClock } from './fake-clock.ts'

/** A clock for the deadlines of answers. Its timers fire when a test advances the time. */
export function ownDeadlines(): { readonly clock: SteadyClock; advance(ms: number): void } {
  let nowMs = 0
  const dueAt = new Map<object, { at: number; ring: () => void }>()
  return {
    clock: {
      ...fakeClock(),
      timer(ms, ring) {
        const timer = {
          refresh: () => void dueAt.set(timer, { at: nowMs + ms, ring }),
          cancel: () => void dueAt.delete(timer),
        }
        timer.refresh()
        return timer
      },
    },
    advance(ms) {
      nowMs += ms
      for (const [timer, { at, ring }] of [...dueAt]) if (at <= nowMs && dueAt.delete(timer)) ring()
    },
  }
}
