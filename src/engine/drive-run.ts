import { type CancelChildren, CHILD_RUN } from '../core/engine.ts'
import { stepKey } from '../core/run.ts'
import { decide } from '../runs/decide.ts'
import type { AttemptStart } from '../runs/decision.ts'
import type { RunFacts } from '../runs/run-facts.ts'
import { type AttemptDeps, executeAttempt } from './execute-attempt.ts'
import type { LiveRun } from './live-run.ts'

/**
 * Drives a run to its end: decides, records, starts attempts, waits for any of them, and repeats. Resolves when the
 * run's end is durable; rejects with the reason when this process stops working on it.
 */
export async function driveRun(
  run: LiveRun,
  deps: AttemptDeps & { readonly cancelChildren?: CancelChildren },
): Promise<void> {
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
      // A stopped attempt may still finish by itself. Only then record the rest as cancelled.
      if (run.facts.state.cancelRequested && !cancelled) {
        cancelled = true
        await run.cancelled
        for (const start of attemptsWithRuns(run.facts, deps.timeline.now())) begin(start)
        await Promise.allSettled(inProgress.values())
        // A cancel ends neither `finally` nor the runs that its steps started.
        if (!hasBegunFinally(run.facts)) await deps.cancelChildren?.(run.facts.runId)
        continue
      }
      const { nudged } = run
      const { records, starts, wakeAt } = decide(run.facts, deps.timeline.now())
      if (records.length > 0) {
        // In order and without a gap, so that the last record is durable only after the others.
        await Promise.all(records.map((record) => run.record(record)))
        continue
      }
      for (const start of starts) begin(start)
      const changes = [nudged, ...inProgress.values()]
      run.atRest = new Set(inProgress.keys())
      await (wakeAt === undefined ? Promise.race(changes) : raceUntil(wakeAt, changes, deps))
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
 * The active attempts of a cancelled run that have started child runs. Each continues here to pass on the cancel, even
 * if another process began it.
 */
function attemptsWithRuns(facts: RunFacts, now: number): readonly AttemptStart[] {
  const { cancelRequested: _, ...state } = facts.state
  const { starts } = decide({ ...facts, state }, now)
  return starts.filter(({ ref, attempt }) => {
    const known = state.steps.get(stepKey(ref))
    return known?.attempt === attempt && known.effects.has(CHILD_RUN)
  })
}

async function raceUntil(
  at: number,
  changes: readonly Promise<void>[],
  { clock, timeline }: AttemptDeps,
): Promise<void> {
  const over = new AbortController()
  const wakeUp = clock.sleep(Math.max(0, at - timeline.now()), over.signal).catch(() => undefined)
  await Promise.race([...changes, wakeUp]).finally(() => over.abort())
}
