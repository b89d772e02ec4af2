import type { Clock } from '../core/clock.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { ReadableState } from '../state/state.ts'
import type { StepBlocked } from '../status/status-report.ts'
import { stepsBlocked } from '../status/steps-blocked.ts'

const LOOK_EVERY_MS = 2000

/**
 * Watches the steps of a run that are waiting for a step of another run, according to the run's events. Calls `tell`
 * once for each step that continues only after a person does something. The other run may stop in another process, long
 * after the wait began.
 */
export function watchBlocked(
  runId: string,
  deps: {
    runs: ReadableState['runs']
    clock: Pick<Clock, 'sleep'>
    tell: (blocked: StepBlocked) => void
  },
): { event(event: RunEvent): void; stop(): void } {
  const { runs, clock, tell } = deps
  const over = new AbortController()
  const told = new Set<string>()
  let isLooking = false
  let isToldMore = false

  async function look(): Promise<void> {
    isLooking = true
    for (;;) {
      isToldMore = false
      // A failed check does no harm, because the next one may be able to read the state.
      const blocked = await stepsBlocked(runs, [runId]).catch(() => undefined)
      if (over.signal.aborted || (blocked?.length === 0 && !isToldMore)) break
      for (const one of blocked ?? []) {
        const text = `${one.step} ${one.message} ${one.commands.join()}`
        if (one.by.runId === runId || one.commands.length === 0 || told.has(text)) continue
        told.add(text)
        tell(one)
      }
      await clock.sleep(LOOK_EVERY_MS, over.signal).catch(() => undefined)
    }
    isLooking = false
  }

  return {
    event(event) {
      if (event.event !== 'step.blocked' || event.by.runId === runId) return
      isToldMore = true
      if (!isLooking) void look()
    },
    stop: () => over.abort(),
  }
}
