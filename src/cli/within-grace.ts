import type { Clock } from '../core/clock.ts'

/** Stops something; gives it up once that takes longer than `graceMs`. */
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
