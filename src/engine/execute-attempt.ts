import type { Clock } from '../core/clock.ts'
import type { StepContext, StepProgress, StepRequest } from '../core/engine.ts'
import { AudienceError, NeedsPersonError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { reportError } from '../core/report-error.ts'
import { stepKey } from '../core/run.ts'
import { evaluateCondition, evaluateTemplate } from '../expressions/evaluate.ts'
import { maskPersonal } from '../policy/personal-data.ts'
import { askApproval } from '../runs/ask-approval.ts'
import { startDeadline } from '../runs/deadline.ts'
import type { AttemptStart } from '../runs/decision.ts'
import { measure } from '../runs/guards/measure.ts'
import { memoryId } from '../runs/item.ts'
import { announcedWrites } from '../runs/keeps-effects.ts'
import { makerOf } from '../runs/maker-of.ts'
import { nextAttempt } from '../runs/next-attempt.ts'
import { scopeOf } from '../runs/scope.ts'
import { stepInput } from '../runs/step-input.ts'
import type { Timeline } from '../runs/timeline.ts'
import { isTroubleOfNow } from '../state/state-damage.ts'
import type { LiveRun } from './live-run.ts'
import type { Waits } from './waits.ts'

/** Does the work of a step type. */
export type RunStep = (name: string, context: StepContext, request: StepRequest) => Promise<JsonObject>

export interface AttemptDeps {
  runStep: RunStep
  clock: Clock
  random: () => number
  waits: Waits
  timeline: Timeline
}

/**
 * Makes one attempt of a step execution and records how it ended. Resolves when the outcome is decided. If the run
 * cannot continue in this process, rejects and records nothing. This happens if the run stops, or if the state cannot
 * be read or written now.
 */
export async function executeAttempt(run: LiveRun, attempt: AttemptStart, deps: AttemptDeps): Promise<void> {
  const { step, ref } = attempt
  const known = run.facts.state.steps.get(stepKey(ref))
  if (known?.attempt !== attempt.attempt) void run.record({ type: 'step.started', ...ref, attempt: attempt.attempt })
  const deadline = startDeadline(run.facts, attempt, deps)
  const life = run.lifeOf(attempt)
  const signal = deadline ? AbortSignal.any([life.signal, deadline.signal]) : life.signal
  try {
    const outputs = await work(run, attempt, deps, signal)
    const measured = measure(run.facts, { ...attempt, outputs })
    const isHeld = measured?.verdict === 'held'
    if (measured)
      void run.record({ type: 'guard.measured', ...ref, ...measured, outputs: isHeld ? outputs : undefined })
    // If a guard did not pass, its record decides what happens next.
    if (isHeld || measured?.verdict === 'failed') return
    void run.record({ type: 'step.finished', ...ref, status: 'succeeded', outputs })
  } catch (error) {
    if (run.stopped.aborted) throw run.stopped.reason
    // A cancelled run records the end of its steps itself.
    if (life.aborted) return
    // The step memory could not be stored. A full disk must not fail a step.
    if (isTroubleOfNow(error)) {
      run.stop(error)
      throw error
    }
    if (error instanceof NeedsPersonError) {
      const { reason, terms } = error
      const report = reportError(error, step.at)
      void run.record(
        reason === 'approval'
          ? askApproval(run.facts, ref, terms, report)
          : { type: 'step.waiting', ...ref, reason, error: report },
      )
      return
    }
    const failure = deadline?.signal.aborted ? deadline.signal.reason : error
    const report = reportError(failure, step.at)
    const announced = announcedWrites(run.facts.state.steps.get(stepKey(ref))?.effects)
    const next = nextAttempt(step.retry, { attempt: attempt.attempt, error: failure, announced }, deps)
    void run.record(
      next === undefined
        ? { type: 'step.finished', ...ref, status: 'failed', error: report }
        : { type: 'attempt.failed', ...ref, attempt: attempt.attempt, error: report, ...next },
    )
  } finally {
    deadline?.clear()
  }
}

async function work(run: LiveRun, attempt: AttemptStart, deps: AttemptDeps, signal: AbortSignal): Promise<JsonObject> {
  const { step, ref } = attempt
  const input = stepInput(run.facts, attempt)
  const outputs = await deps.runStep(step.uses, contextOf(run, attempt, deps.waits, signal), {
    input,
    await: step.await,
  })
  // Texts from the document itself stay readable. Output values in the message may come from the service.
  const isOwn = (found: string) => run.facts.pipeline.text.includes(found)
  for (const expectation of step.expect) {
    const scope = scopeOf(run.facts, { ...attempt, outputs })
    if (evaluateCondition(expectation.check, scope)) continue
    throw new AudienceError({
      code: 'expectation-failed',
      kind: 'failed',
      message: `step "${stepKey(ref)}" did not meet an expectation: ${maskPersonal(String(evaluateTemplate(expectation.message, scope)), isOwn)}`,
      hint: `\`${expectation.check.source.trim()}\` must be true: correct the data or the expectation, then run it again; no later step has run`,
      at: expectation.check.at,
    })
  }
  return outputs
}

function contextOf(run: LiveRun, { ref, attempt }: AttemptStart, waits: Waits, signal: AbortSignal): StepContext {
  const { runId } = run.facts
  const key = stepKey(ref)
  const known = run.facts.state.steps.get(key)
  const decision = known?.isAgain ? 'again' : known?.decision
  const report = (progress: StepProgress) => run.report(ref, progress)
  return {
    runId,
    stepId: memoryId(ref),
    sealing: run.sealing,
    stepKey: key,
    attempt,
    pipeline: run.facts.pipeline.name,
    decision,
    decidedBy: known?.signed,
    signal,
    async once<T extends Json>(
      name: string,
      effect: (signal: AbortSignal) => Promise<T>,
      options: { untilAnswered?: boolean } = {},
    ): Promise<T> {
      const recorded = run.facts.state.steps.get(key)?.effects.get(name)
      // This effect returned the same value before. It was read back from JSON.
      if (recorded !== undefined) return recorded as T
      signal.throwIfAborted()
      const value = await effect(options.untilAnswered ? run.graceOver.signal : signal)
      await run.record({ type: 'effect.done', ...ref, attempt, name, value })
      return value
    },
    wait(name, begin) {
      run.waiting.add(key)
      const over = () => run.waiting.delete(key)
      return waits.join(runId, `${key}/${attempt}/${name}`, begin, { signal, report, over })
    },
    report,
    makerOf: (uses, file) => makerOf(run.facts, uses, file),
    assertOwned: () => run.assertOwned(),
  }
}
