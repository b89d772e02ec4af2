import { type Clock, look } from '../core/clock.ts'
import type { AudienceError } from '../core/errors.ts'

const LOOK_EVERY_MS = 1000

/** Resolves to the problem as soon as the files of the state have one, or to undefined when `signal` aborts. */
export async function watchStateFiles(
  trouble: () => AudienceError | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<AudienceError | undefined> {
  while (!signal.aborted) {
    const found = trouble()
    if (found) return found
    await look(clock, LOOK_EVERY_MS, signal)
  }
  return undefined
}
