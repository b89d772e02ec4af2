import type { Clock } from '../core/clock.ts'

/** The clock's time without its steps back: when a machine's clock is set back, nothing has to wait for it to catch up. */
export function steadyTime(clock: Clock): () => number {
  let aheadMs = 0
  let lastMs = Number.NEGATIVE_INFINITY
  return () => {
    const readMs = clock.now()
    aheadMs = Math.max(aheadMs, lastMs - readMs)
    lastMs = readMs + aheadMs
    return lastMs
  }
}
