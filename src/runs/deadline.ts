import type { Clock } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'
import type { Step } from '../core/pipeline.ts'
import { type StepRef, stepKey } from '../core/run.ts'
import type { AttemptStart } from './decision.ts'
import type { RunFacts } from './run-facts.ts'
import type { Timeline } from './timeline.ts'

/** When an attempt or its run times out, counted from when the attempt or the run began. */
export function outOfTimeAt(
  { pipeline, state }: RunFacts,
  { step, ref }: { step: { timeoutMs?: number | undefined }; ref: StepRef },
  now: number,
): { readonly at: number; readonly what: string } | undefined {
  if (step.timeoutMs === undefined && pipeline.timeoutMs === undefined) return undefined
  const key = stepKey(ref)
  const known = state.steps.get(key)
  const stepStartedAt = known?.attemptAt ?? known?.startedAt ?? now
  const ends = [
    ...(step.timeoutMs === undefined ? [] : [{ at: stepStartedAt + step.timeoutMs, what: `step "${key}"` }]),
    ...(pipeline.timeoutMs === undefined ? [] : [{ at: state.startedAt + pipeline.timeoutMs, what: 'the run' }]),
  ]
  return ends.sort((a, b) => a.at - b.at)[0]
}

/** A signal that aborts when the step or the run times out, with the error to report. */
export function startDeadline(
  facts: RunFacts,
  start: AttemptStart,
  { clock, timeline }: { clock: Clock; timeline: Timeline },
): { readonly signal: AbortSignal; clear(): void } | undefined {
  const first = outOfTimeAt(facts, start, timeline.now())
  if (!first) return undefined
  const expired = new AbortController()
  const cleared = new AbortController()
  clock.sleep(Math.max(0, first.at - timeline.now()), cleared.signal).then(
    () => expired.abort(outOfTime(first.what, start.step)),
    () => undefined,
  )
  return { signal: expired.signal, clear: () => cleared.abort('no longer needed') }
}

/** Whether a step ended because it, or its run, took too long. */
export function isOutOfTime(reason: unknown): boolean {
  return reason instanceof AudienceError && reason.code === OUT_OF_TIME
}

const OUT_OF_TIME = 'timeout'

function outOfTime(what: string, step: Step): AudienceError {
  return new AudienceError({
    code: OUT_OF_TIME,
    kind: 'failed',
    message: `${what} timed out`,
    hint: 'raise its `timeout`, or find out what took so long; a job or a run that it started continues',
    at: step.at,
  })
}
