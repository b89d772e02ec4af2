import type { Clock } from '../../../src/core/clock.ts'

export interface SteppedClock extends Clock {
  /** The number of active sleeps. */
  readonly sleepers: () => number
  /** Advances the time: every sleep ends at its moment. */
  pass(ms: number): Promise<void>
  /** Sets the clock, as a person does. Sleeps keep their length. */
  jump(ms: number): void
}

/** A clock for tests. Its timers use a separate time, like those of a machine whose clock is set. */
export function steppedClock(startMs: number): SteppedClock {
  let elapsed = 0
  let offset = startMs
  const sleeps = new Set<{ readonly at: number; readonly end: () => void }>()
  return {
    now: () => offset + elapsed,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const sleep = {
          at: elapsed + ms,
          end: () => {
            sleeps.delete(sleep)
            signal?.removeEventListener('abort', abort)
            resolve()
          },
        }
        const abort = () => {
          sleeps.delete(sleep)
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', abort, { once: true })
        sleeps.add(sleep)
      }),
    sleepers: () => sleeps.size,
    async pass(ms) {
      const end = elapsed + ms
      await settled()
      for (;;) {
        const next = [...sleeps].sort((a, b) => a.at - b.at)[0]
        if (!next || next.at > end) break
        elapsed = Math.max(elapsed, next.at)
        next.end()
        await settled()
      }
      elapsed = end
      await settled()
    },
    jump(ms) {
      offset += ms
    },
  }
}

/** After this, all consequences have happened; nothing here takes longer. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
