import type { Logger } from 'pino'
import { look, type SteadyClock } from '../core/clock.ts'
import { commandFor, type UnattendedRuns, WHY } from '../runs/unattended-runs.ts'

const LOOK_EVERY_MS = 2000

/**
 * Looks for runs that no process is working on. Logs each once, and again when it is resumed or has ended. Resolves
 * when `signal` aborts.
 */
export async function watchUnattendedRuns(
  unattended: UnattendedRuns,
  deps: {
    clock: SteadyClock
    log: Pick<Logger, 'error' | 'info'>
    /** Why the state cannot be written. */
    stateTrouble: () => Promise<string | undefined>
    /**
     * Among the processes that share a state, only the keeper reports the runs without an owner. Each process reports
     * its own runs.
     */
    isKeeper: () => boolean
    signal: AbortSignal
  },
): Promise<void> {
  const { clock, log, stateTrouble, isKeeper, signal } = deps
  let logged = new Map<string, string>()
  while (!signal.aborted) {
    try {
      await unattended.look({ now: clock.now(), steady: clock.steady() })
    } catch {
      // The state cannot be read. Another check of /readyz reports that.
    }
    const runs = unattended.runs.filter(({ why }) => why === 'stuck' || isKeeper())
    for (const run of runs) {
      const { runId, pipeline, why } = run
      if (logged.has(runId)) continue
      const state = why === 'stuck' ? await stateTrouble() : undefined
      log.error({ runId, pipeline, why: WHY[why], state, next: commandFor(run) }, 'no process is working on a run')
    }
    const now = new Map(runs.map(({ runId, pipeline }) => [runId, pipeline]))
    for (const [runId, pipeline] of logged)
      if (!now.has(runId))
        log.info({ runId, pipeline }, 'a run that no process was working on was resumed or has ended')
    logged = now
    await look(clock, LOOK_EVERY_MS, signal)
  }
}
