import { resolve } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { INTENT, type StepContext, type StepRequest } from '../core/engine.ts'
import { AudienceError, NeedsPersonError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Step } from '../core/pipeline.ts'
import { reportError } from '../core/report-error.ts'
import type { StepType } from '../core/step-type.ts'
import { evaluateCondition, evaluateTemplate } from '../expressions/evaluate.ts'
import { toInput } from '../expressions/values.ts'
import type { Start } from './decision.ts'
import type { LiveRun } from './live-run.ts'
import { nextAttempt } from './next-attempt.ts'
import { stepKey } from './run-state.ts'
import { scopeOf } from './scope.ts'

/** Does the work of a step type. */
export type RunStep = (name: string, context: StepContext, request: StepRequest) => Promise<JsonObject>

export interface AttemptMeans {
  readonly runStep: RunStep
  readonly clock: Clock
  readonly random: () => number
}

/**
 * Makes one attempt of a step execution and records how it ended. Resolves when that is decided; rejects only when the
 * run cannot go on in this process (it stops, or its journal fails), and records nothing then.
 */
export async function executeAttempt(run: LiveRun, attempt: Start, means: AttemptMeans): Promise<void> {
  const { step, ref } = attempt
  const known = run.facts.state.steps.get(stepKey(ref))
  if (known?.attempt !== attempt.attempt)
    inBackground(run.record({ type: 'step.started', ...ref, attempt: attempt.attempt }))
  const deadline = deadlineOf(run, attempt, means.clock)
  const life = run.lifeOf(step)
  const signal = deadline ? AbortSignal.any([life, deadline.signal]) : life
  try {
    const outputs = await work(run, attempt, means, signal)
    inBackground(run.record({ type: 'step.finished', ...ref, status: 'succeeded', outputs }))
  } catch (error) {
    if (run.stopped.aborted) throw run.stopped.reason
    // A cancelled run records the end of its steps itself.
    if (life.aborted) return
    if (error instanceof NeedsPersonError) {
      return inBackground(
        run.record({ type: 'step.waiting', ...ref, reason: error.reason, error: reportError(error, step.at) }),
      )
    }
    const failure = deadline?.signal.aborted ? deadline.signal.reason : error
    const report = reportError(failure, step.at)
    const announced = [...(run.facts.state.steps.get(stepKey(ref))?.effects.keys() ?? [])].some((name) =>
      name.endsWith(INTENT),
    )
    const next = nextAttempt(step.retry, { attempt: attempt.attempt, error: failure, announced }, means)
    inBackground(
      next === undefined
        ? run.record({ type: 'step.finished', ...ref, status: 'failed', error: report })
        : run.record({ type: 'attempt.failed', ...ref, attempt: attempt.attempt, error: report, ...next }),
    )
  } finally {
    deadline?.clear()
  }
}

async function work(run: LiveRun, attempt: Start, means: AttemptMeans, signal: AbortSignal): Promise<JsonObject> {
  const { step, ref, item } = attempt
  const place = { step, ...(item !== undefined && { item }) }
  const type = typeOf(run, step)
  const given = evaluateTemplate(step.with, scopeOf(run.facts, place))
  const input = inputOf(withFiles(given, type, run.facts.state.submission.folder), type, step)
  const outputs = await means.runStep(step.uses, contextOf(run, attempt, signal), { input, await: step.await })
  for (const expectation of step.expect) {
    const scope = scopeOf(run.facts, { ...place, outputs })
    if (evaluateCondition(expectation.check, scope)) continue
    throw new AudienceError({
      code: 'expectation-failed',
      kind: 'failed',
      message: `step "${stepKey(ref)}" did not meet an expectation: ${String(evaluateTemplate(expectation.message, scope))}`,
      hint: `\`${expectation.check.source.trim()}\` is false; nothing after this step was done`,
      at: expectation.check.at,
    })
  }
  return outputs
}

function typeOf(run: LiveRun, step: Step): StepType {
  const type = run.facts.stepTypes.get(step.uses)
  if (type) return type
  throw new AudienceError({
    code: 'unknown-step-type',
    kind: 'invalid',
    message: `step "${step.id}" uses "${step.uses}", which this version does not know`,
    at: step.at,
  })
}

function inputOf(value: Json, type: StepType, step: Step): JsonObject {
  const input = toInput(type.input, value)
  const violations = type.check(input)
  if (violations.length === 0 && isJsonObject(input)) return input
  const list = violations.map(({ pointer, message }) => `${pointer.slice(1) || type.name} ${message}`)
  throw new AudienceError({
    code: 'invalid-step-input',
    kind: 'failed',
    message: `\`with\` of step "${step.id}" does not fit ${type.name} once its expressions are known: ${list.join('; ')}`,
    hint: 'change the values, or the inputs that they come from',
    at: step.at,
  })
}

/** Relative paths are meant from the document's folder, wherever the process runs. */
function withFiles(given: Json, { input }: StepType, folder: string): Json {
  if (!isJsonObject(given)) return given
  const fields = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === 'string' && input.properties[name]?.format === 'file' ? resolve(folder, value) : value,
  ])
  return Object.fromEntries(fields)
}

function contextOf(run: LiveRun, { ref, attempt, step }: Start, signal: AbortSignal): StepContext {
  const decision = run.facts.state.steps.get(stepKey(ref))?.decision
  return {
    runId: run.facts.runId,
    stepId: step.id,
    stepKey: stepKey(ref),
    attempt,
    pipeline: run.facts.pipeline.name,
    ...(decision && { decision }),
    signal,
    async once<T extends Json>(name: string, effect: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const recorded = run.facts.state.steps.get(stepKey(ref))?.effects.get(name)
      // The value is what this very effect returned before, read back from JSON.
      if (recorded !== undefined) return recorded as T
      signal.throwIfAborted()
      const value = await effect(signal)
      await run.record({ type: 'effect.done', ...ref, attempt, name, value })
      return value
    },
    report: (progress) => run.report(ref, progress),
  }
}

/** A signal that aborts when the step or the run is out of time, counted from when the attempt or the run began. */
function deadlineOf(run: LiveRun, { step, ref }: Start, clock: Clock): Deadline | undefined {
  const { pipeline, state } = run.facts
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

interface Deadline {
  readonly signal: AbortSignal
  clear(): void
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

/** The run stops with the error by itself (see LiveRun.record). */
function inBackground(record: Promise<void>): void {
  record.catch(() => undefined)
}
