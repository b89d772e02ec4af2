import { decide } from '../runs/decide.ts'
import type { Start } from '../runs/decision.ts'
import { stepKey } from '../runs/run-state.ts'
import { type AttemptMeans, executeAttempt } from './execute-attempt.ts'
import type { LiveRun } from './live-run.ts'

/**
 * Drives a run to its end: decides, records, starts attempts, waits for any of them, and repeats. Resolves when the
 * run's end is durable; rejects with the reason when this process stops working on it.
 */
export async function driveRun(run: LiveRun, means: AttemptMeans): Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  const begin = (start: Start) => {
    const key = stepKey(start.ref)
    if (underWay.has(key)) return
    underWay.set(
      key,
      executeAttempt(run, start, means).finally(() => underWay.delete(key)),
    )
  }
  let cancelled = false
  try {
    while (!run.facts.state.finished) {
      run.stopped.throwIfAborted()
      // An attempt that was told to stop may still finish by itself; only then is the rest recorded as cancelled.
      if (run.facts.state.cancelRequested && !cancelled) {
        cancelled = true
        await Promise.allSettled(underWay.values())
        continue
      }
      const { nudged } = run
      const { records, starts, wakeAt } = decide(run.facts, means.timeline.now())
      if (records.length > 0) {
        // In order and without a gap, so that the last record is durable only after the others.
        await Promise.all(records.map((record) => run.record(record)))
        continue
      }
      for (const start of starts) begin(start)
      const changes = [nudged, ...underWay.values()]
      run.underWay = underWay.size
      await (wakeAt === undefined ? Promise.race(changes) : raceUntil(wakeAt, changes, means))
      run.underWay = undefined
    }
  } catch (error) {
    run.stop(error)
    await Promise.allSettled(underWay.values())
    throw error
  }
}

async function raceUntil(
  at: number,
  changes: readonly Promise<void>[],
  { clock, timeline }: AttemptMeans,
): Promise<void> {
  const over = new AbortController()
  const wakeUp = clock.sleep(Math.max(0, at - timeline.now()), over.signal).catch(() => undefined)
  await Promise.race([...changes, wakeUp]).finally(() => over.abort())
}
