import { atMost } from '../core/clock.ts'
import { type CancelChildren, CHILD_RUN } from '../core/engine.ts'
import { stepKey } from '../core/run.ts'
import { decide } from '../runs/decide.ts'
import type { AttemptStart } from '../runs/decision.ts'
import type { RunFacts } from '../runs/run-facts.ts'
import { type AttemptDeps, executeAttempt } from './execute-attempt.ts'
import type { LiveRun } from './live-run.ts'

/**
 * Drives a run to its end: decides, records, starts attempts, waits until one ends, and repeats. Resolves when the end
 * of the run is durable. Rejects with the reason when this process stops working on the run.
 */
export async function driveRun(run: LiveRun, deps: AttemptDeps & { cancelChildren?: CancelChildren }): Promise<void> {
  const inProgress = new Map<string, Promise<void>>()
  const begin = (start: AttemptStart) => {
    const key = stepKey(start.ref)
    if (inProgress.has(key)) return
    inProgress.set(
      key,
      executeAttempt(run, start, deps).finally(() => inProgress.delete(key)),
    )
  }
  let cancelled = false
  try {
    while (!run.facts.state.finished) {
      run.stopped.throwIfAborted()
      run.atRest = undefined
      // An attempt that was told to stop may still finish on its own. So wait for the attempts, then record the rest as
      // cancelled.
      if (run.facts.state.cancelRequested && !cancelled) {
        cancelled = true
        await run.cancelled
        for (const start of attemptsWithRuns(run.facts, deps.timeline.now())) begin(start)
        await Promise.allSettled(inProgress.values())
        // A cancellation does not end `finally` or the runs that the steps of `finally` started.
        if (!hasBegunFinally(run.facts)) await deps.cancelChildren?.(run.facts.runId)
        continue
      }
      const { nudged } = run
      const { records, starts, wakeAt } = decide(run.facts, deps.timeline.now())
      if (records.length > 0) {
        // Recorded together and in order, so that the last record is durable only after the others.
        await Promise.all(records.map((record) => run.record(record)))
        continue
      }
      for (const start of starts) begin(start)
      const changes = [nudged, ...inProgress.values()]
      run.atRest = new Set(inProgress.keys())
      await (wakeAt === undefined
        ? Promise.race(changes)
        : atMost(Math.max(0, wakeAt - deps.timeline.now()), changes, deps.clock))
    }
  } catch (error) {
    run.stop(error)
    await Promise.allSettled(inProgress.values())
    throw error
  }
}

function hasBegunFinally({ pipeline, state }: RunFacts): boolean {
  return pipeline.finally.some(({ id }) => state.steps.has(id))
}

/**
 * The active attempts of a cancelled run that have started child runs. Each one continues here to pass the cancellation
 * on, even if another process began it.
 */
function attemptsWithRuns(facts: RunFacts, now: number): readonly AttemptStart[] {
  const { cancelRequested: _, ...state } = facts.state
  const { starts } = decide({ ...facts, state }, now)
  return starts.filter(({ ref, attempt }) => {
    const known = state.steps.get(stepKey(ref))
    return known?.attempt === attempt && known.effects.has(CHILD_RUN)
  })
}
