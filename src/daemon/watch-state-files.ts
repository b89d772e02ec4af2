import type { Clock } from '../core/clock.ts'
import type { AudienceError } from '../core/errors.ts'

const LOOK_EVERY_MS = 1000

/** Resolves with what is wrong as soon as there is trouble with the files of the state; with nothing when `signal` aborts. */
export async function watchStateFiles(
  trouble: () => AudienceError | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<AudienceError | undefined> {
  while (!signal.aborted) {
    const found = trouble()
    if (found) return found
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
  }
  return undefined
}
