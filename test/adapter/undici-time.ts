import { setImmediate } from 'node:timers/promises'
// @ts-expect-error: undici has no types for its parts.
import undiciTimers from 'undici/lib/util/timers.js'

/** Advances the time for undici's own limits, and lets the consequences happen. Limits begin with the next call. */
export async function passInUndici(ms: number): Promise<void> {
  undiciTimers.tick(ms)
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
}
