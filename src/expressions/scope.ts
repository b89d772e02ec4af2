import { isJsonObject, type Json } from '../core/json.ts'
import { Budget } from './budget.ts'
import type { EvaluationContext } from './evaluation-context.ts'
import { timestampAtMs } from './time.ts'
import type { Value, ValueMap } from './value.ts'
import type { Scope } from './values.ts'

/** A scope in the form that the evaluator takes, with a fresh budget. */
export function contextOf(scope: Scope): EvaluationContext {
  const { run, env, outputs, item } = scope
  const startedAt = run && timestampAtMs(Date.parse(run.startedAt))
  // A scope may work out these only when they are read.
  const roots: Record<string, Value | undefined> = {
    get inputs() {
      return asValue(scope.inputs)
    },
    get variables() {
      return asValue(scope.variables)
    },
    get steps() {
      return asValue(scope.steps)
    },
    get trigger() {
      return asValue(scope.trigger)
    },
    get last() {
      return asValue(scope.last ?? {})
    },
    run: run && startedAt && { ...run, startedAt },
    env: asValue(env),
    outputs: asValue(outputs),
  }
  if (item) Object.assign(roots, { index: BigInt(item.index), [item.name]: asValue(item.value) })
  const failed =
    scope.failed ?? Object.values(scope.steps ?? {}).some((step) => isJsonObject(step) && step.status === 'failed')
  return { roots, startedAt, failed, budget: new Budget() }
}

/** JSON in memory is a subset of what expressions work on; an interface has no index signature, hence the wide type. */
function asValue(value: Json | object | undefined): Value | undefined {
  return value as Value | ValueMap | undefined
}
