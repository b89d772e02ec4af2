import type { Clock } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'
import type { Step } from '../core/pipeline.ts'
import type { Start } from './decision.ts'
import type { RunFacts } from './run-facts.ts'
import { stepKey } from './run-state.ts'

export interface Deadline {
  /** Aborts with what to tell of it. */
  readonly signal: AbortSignal
  clear(): void
}

/** A signal that aborts when the step or the run is out of time, counted from when the attempt or the run began. */
export function startDeadline({ pipeline, state }: RunFacts, { step, ref }: Start, clock: Clock): Deadline | undefined {
  const stepStartedAt = state.steps.get(stepKey(ref))?.attemptAt ?? clock.now()
  const ends = [
    ...(step.timeoutMs === undefined ? [] : [{ at: stepStartedAt + step.timeoutMs, what: `step "${stepKey(ref)}"` }]),
    ...(pipeline.timeoutMs === undefined ? [] : [{ at: state.submittedAt + pipeline.timeoutMs, what: 'the run' }]),
  ]
  const first = ends.sort((a, b) => a.at - b.at)[0]
  if (!first) return undefined
  const expired = new AbortController()
  const cleared = new AbortController()
  clock.sleep(Math.max(0, first.at - clock.now()), cleared.signal).then(
    () => expired.abort(outOfTime(first.what, step)),
    () => undefined,
  )
  return { signal: expired.signal, clear: () => cleared.abort() }
}

function outOfTime(what: string, step: Step): AudienceError {
  return new AudienceError({
    code: 'timeout',
    kind: 'failed',
    message: `${what} is out of time`,
    hint: 'raise its `timeout`, or find out what took so long; a job that it started goes on at the service',
    at: step.at,
  })
}
