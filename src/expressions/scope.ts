import { isJsonObject, type Json } from '../core/json.ts'
import { Budget } from './budget.ts'
import type { EvaluationContext } from './evaluation-context.ts'
import { timestampAtMs } from './time.ts'
import type { Value, ValueMap } from './value.ts'
import type { Scope } from './values.ts'

/** A scope in the form that the evaluator takes, with a fresh budget. */
export function contextOf(scope: Scope): EvaluationContext {
  const { inputs, variables, steps, trigger, run, env, last, outputs, item } = scope
  const startedAt = run && timestampAtMs(Date.parse(run.startedAt))
  const roots: Record<string, Value | undefined> = {
    inputs: asValue(inputs),
    variables: asValue(variables),
    steps: asValue(steps),
    trigger: asValue(trigger),
    run: run && startedAt && { ...run, startedAt },
    env: asValue(env),
    last: asValue(last ?? {}),
    outputs: asValue(outputs),
  }
  if (item) roots[item.name] = asValue(item.value)
  const failed =
    scope.failed ?? Object.values(steps ?? {}).some((step) => isJsonObject(step) && step.status === 'failed')
  return { roots, startedAt, failed, budget: new Budget() }
}

/** JSON in memory is a subset of what expressions work on; an interface has no index signature, hence the wide type. */
function asValue(value: Json | object | undefined): Value | undefined {
  return value as Value | ValueMap | undefined
}
