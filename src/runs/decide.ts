import type { Json, JsonObject } from '../core/json.ts'
import type { Pipeline, StepOrBlock } from '../core/pipeline.ts'
import { reportError } from '../core/report-error.ts'
import type { RunRecord } from '../core/run.ts'
import { evaluateTemplate } from '../expressions/evaluate.ts'
import type { Scope } from '../expressions/values.ts'
import { decideStep } from './decide-step.ts'
import { type Decision, merge, nothing, record } from './decision.ts'
import { anyFailed, failedSteps, toleratedFailures } from './failures.ts'
import type { RunFacts } from './run-facts.ts'
import type { RunState } from './run-state.ts'
import { readableVariables, scopeOf } from './scope.ts'

/**
 * What to do next in a run: a pure function of its records and the time (milliseconds since 1970). The caller records,
 * starts and waits; then it asks again.
 */
export function decide(facts: RunFacts, now: number): Decision {
  if (facts.state.finished) return nothing
  const { pipeline, state } = facts
  const isNew = Object.keys(pipeline.variables).length > 0 && state.variables === undefined
  if (isNew && !state.cancelRequested) return record(variables(facts))
  const phases = [
    pipeline.steps,
    ...(anyFailed(pipeline.steps, state) && (!state.cancelRequested || hasBegun(pipeline.onFailure, state))
      ? [pipeline.onFailure]
      : []),
    pipeline.finally,
  ]
  for (const phase of phases) {
    if (phase.every((step) => state.steps.get(step.id)?.settled)) continue
    return merge(phase.map((step) => decideStep(facts, step, now)))
  }
  return record(finish(facts))
}

/** A cancelled run begins no `onFailure`; an `onFailure` that has begun runs to its end. */
function hasBegun(steps: readonly StepOrBlock[], { steps: known }: RunState): boolean {
  return steps.some(({ id }) => known.has(id))
}

/** A run whose variables cannot be computed ends before its first step. */
function variables(facts: RunFacts): RunRecord {
  try {
    const { inputs = {}, trigger = {}, run } = scopeOf(facts)
    return {
      type: 'variables.set',
      variables: evaluateVariables(facts.pipeline, { inputs, trigger, run }),
    }
  } catch (error) {
    return { type: 'run.finished', status: 'failed', error: reportError(error) }
  }
}

function finish(facts: RunFacts): RunRecord {
  const { pipeline, state } = facts
  if (state.cancelRequested) return { type: 'run.finished', status: 'cancelled' }
  const failed = [pipeline.steps, pipeline.onFailure, pipeline.finally].flatMap((steps) => failedSteps(steps, state))[0]
  if (failed) {
    const { error } = failed.settled
    return {
      type: 'run.finished',
      status: 'failed',
      error: error && { ...error, step: error.step ?? failed.step.id },
    }
  }
  try {
    return {
      type: 'run.finished',
      status: 'succeeded',
      outputs: evaluateOutputs(facts),
      ...toleratedFailures([...pipeline.steps, ...pipeline.finally], state),
    }
  } catch (error) {
    return { type: 'run.finished', status: 'failed', error: reportError(error) }
  }
}

function evaluateOutputs(facts: RunFacts): JsonObject {
  const outputs: Record<string, Json> = {}
  const templates = Object.entries(facts.pipeline.outputs)
  if (templates.length === 0) return outputs
  const scope = scopeOf(facts)
  for (const [name, template] of templates) outputs[name] = evaluateTemplate(template, scope)
  return outputs
}

/**
 * The variables of a run, each computed from the scope and the variables above it. Throws AudienceError
 * `expression-failed`.
 */
function evaluateVariables({ variables }: Pick<Pipeline, 'variables'>, scope: Scope): JsonObject {
  const values: Record<string, Json> = {}
  for (const [name, { value }] of Object.entries(variables)) {
    values[name] = evaluateTemplate(value, { ...scope, variables: readableVariables({ variables }, values) })
  }
  return values
}
