import type { Clock } from '../core/clock.ts'

/** Stops something, but gives up after `graceMs`. */
export async function withinGrace(
  stop: () => Promise<void>,
  {
    clock,
    graceMs,
    giveUp,
  }: { readonly clock: Pick<Clock, 'sleep'>; readonly graceMs: number; readonly giveUp: () => void },
): Promise<void> {
  const stopped = new AbortController()
  clock.sleep(graceMs, stopped.signal).then(giveUp, () => undefined)
  try {
    await stop()
  } finally {
    stopped.abort()
  }
}
