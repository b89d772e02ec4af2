import type { Json, JsonObject } from '../core/json.ts'
import type { Step } from '../core/pipeline.ts'
import { type Scope, toExpressionValue } from '../expressions/values.ts'
import { readableVariables } from './evaluate-variables.ts'
import { failedSteps, needsFailed } from './failures.ts'
import { inputsSchema } from './input-schema.ts'
import type { RunFacts } from './run-facts.ts'

/** What the expressions of a run can read now; `step` and `item` if they belong to a step. */
export function scopeOf(facts: RunFacts, place: { step?: Step; item?: Json; outputs?: Json } = {}): Scope {
  const { pipeline, state, env } = facts
  const { submission } = state
  const failed = failedSteps(pipeline.steps, state)[0]
  return {
    inputs: toExpressionValue(inputsSchema(pipeline), submission.inputs) as JsonObject,
    ...(state.variables && { variables: readableVariables(pipeline, state.variables) }),
    steps: stepsOf(facts),
    trigger: toExpressionValue({}, submission.trigger) as JsonObject,
    run: {
      id: facts.runId,
      pipeline: pipeline.name,
      startedAt: new Date(state.startedAt).toISOString(),
      ...(failed && { failedStep: failed.step.id, error: failed.settled.error?.message ?? '' }),
    },
    env,
    last: lastOf(facts, place.step),
    failed:
      place.step && pipeline.steps.includes(place.step)
        ? needsFailed(place.step, pipeline, state)
        : failed !== undefined,
    ...(place.item !== undefined &&
      place.step?.forEach && { item: { name: place.step.forEach.as, value: toExpressionValue({}, place.item) } }),
    ...(place.outputs !== undefined && place.step && { outputs: expressionOutputs(facts, place.step, place.outputs) }),
  }
}

/**
 * The outputs of the last successful run: `{ steps: { ID: { outputs } }, outputs }`. The second `outputs` are those of
 * this step.
 */
function lastOf(facts: RunFacts, here: Step | undefined): JsonObject {
  const { last = 'none' } = facts.state
  if (last === 'none') return {}
  const steps = new Map(facts.pipeline.steps.map((step) => [step.id, step]))
  const outputs = Object.entries(last.steps).flatMap(([id, value]) => {
    const step = steps.get(id)
    return step ? [[id, stepOutputs(facts, step, value)] as const] : []
  })
  const own = outputs.find(([id]) => id === here?.id)?.[1]
  return {
    steps: Object.fromEntries(outputs.map(([id, value]) => [id, { outputs: value }])),
    ...(own !== undefined && { outputs: own }),
  }
}

function stepsOf(facts: RunFacts): JsonObject {
  const steps: Record<string, Json> = {}
  const { pipeline, state } = facts
  for (const step of [...pipeline.steps, ...pipeline.onFailure, ...pipeline.finally]) {
    const settled = state.steps.get(step.id)?.settled
    if (!settled) continue
    steps[step.id] = {
      status: settled.status,
      ...(settled.outputs !== undefined && { outputs: stepOutputs(facts, step, settled.outputs) }),
    }
  }
  return steps
}

function stepOutputs(facts: RunFacts, step: Step, outputs: Json): Json {
  return step.forEach && Array.isArray(outputs)
    ? outputs.map((item: Json) => expressionOutputs(facts, step, item))
    : expressionOutputs(facts, step, outputs)
}

function expressionOutputs(facts: RunFacts, step: Step, outputs: Json): Json {
  const type = facts.stepTypes.get(step.uses)
  return type ? toExpressionValue(type.output, outputs) : outputs
}
