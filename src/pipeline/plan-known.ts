import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { isBlock, type StepOrBlock } from '../core/pipeline.ts'
import type { Expression, Template } from '../core/template.ts'
import { readsRoot } from '../expressions/references.ts'
import { expressionsOf, referencesOf } from '../expressions/tree-of.ts'
import { type Scope, toExpressionValue } from '../expressions/values.ts'
import type { Item } from '../runs/item.ts'
import { outputSchema } from '../runs/output-schema.ts'
import { lastOutputs } from '../runs/scope.ts'
import { isKnownBefore } from './plan-variables.ts'
import type { PlanDeps } from './step-plan.ts'

/** What is known before a run about its steps; in a block, also about the steps of an item. */
export interface Known {
  /** The variables that are known. */
  readonly variables: JsonObject
  readonly outputs: ReadonlyMap<string, { readonly outputs: Json; readonly complete: boolean }>
  /** Segments that the earlier steps rebuild. */
  readonly rebuilt: ReadonlySet<string>
  /** Names that have no value yet: the item of a block whose items depend on earlier steps. */
  readonly unknownNames: readonly string[]
}

export function planScope(
  { pipeline, inputs, profile, env, last, stepTypes }: PlanDeps,
  known: Known,
  step: StepOrBlock,
  item?: Item,
): Scope {
  const beside = [...pipeline.steps, ...(item && isBlock(item.of) ? item.of.steps : [])]
  const steps = beside.flatMap((one) => {
    const outputs = known.outputs.get(one.id)?.outputs
    if (outputs === undefined) return []
    return [
      [one.id, { status: 'succeeded', outputs: toExpressionValue(outputSchema(one, stepTypes), outputs) }] as const,
    ]
  })
  return {
    inputs,
    variables: known.variables,
    env: env ?? {},
    trigger: { kind: 'manual' },
    run: { profile },
    steps: Object.fromEntries(steps),
    last: last && lastOutputs(last, { pipeline, stepTypes, step, item }),
    failed: false,
    item: item && { name: item.of.forEach.as, index: item.index, value: item.value },
  }
}

/**
 * Whether everything that an expression reads is known now: it reads nothing of the run itself, and only parts of steps
 * that were forecast.
 */
export function isKnown(expression: Expression, { variables, outputs, unknownNames }: Known): boolean {
  const references = referencesOf(expression)
  if (!isKnownBefore(references, variables) || unknownNames.some((name) => readsRoot(references, name))) return false
  return references.reads.every(({ root, path }) => root !== 'steps' || isForecast(path, outputs))
}

/** Whether the value at a path of `steps` was forecast: `seg.status`, or the field `seg.outputs.segmentId`. */
function isForecast([id, , field]: readonly (string | undefined)[], outputs: Known['outputs']): boolean {
  const step = id === undefined ? undefined : outputs.get(id)
  if (!step) return false
  if (step.complete) return true
  return field !== undefined && isJsonObject(step.outputs) && step.outputs[field] !== undefined
}

/** Whether all expressions of a template are known now. */
export function isTemplateKnown(template: Template, known: Known): boolean {
  return expressionsOf(template).every((expression) => isKnown(expression, known))
}
