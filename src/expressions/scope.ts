import { isJsonObject, type Json } from '../core/json.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { Budget } from './budget.ts'
import type { EvaluationContext } from './evaluation-context.ts'
import { timestampAtMs } from './time.ts'
import type { Timestamp, Value, ValueMap } from './value.ts'
import type { Scope } from './values.ts'

/** A scope in the form that the evaluator takes, with a fresh budget. */
export function contextOf(scope: Scope): EvaluationContext {
  const at = scope.run?.startedAt
  const startedAt = at === undefined ? undefined : timestampAtMs(Date.parse(at))
  const failed =
    scope.failed ?? Object.values(scope.steps ?? {}).some((step) => isJsonObject(step) && step.status === 'failed')
  return { root: (name) => rootOf(scope, startedAt, name), startedAt, failed, budget: new Budget() }
}

/** A scope may compute a value only when it is read. */
function rootOf(scope: Scope, startedAt: Timestamp | undefined, name: string): Value | undefined {
  const { item, run } = scope
  if (name === item?.name) return asValue(item.value)
  switch (name) {
    case 'inputs':
    case 'variables':
    case 'steps':
    case 'trigger':
    case 'env':
    case 'outputs':
      return asValue(scope[name])
    case 'last':
      return asValue(scope.last ?? {})
    case 'run':
      return run && withoutUndefined({ ...run, startedAt })
    case 'index':
      return item && BigInt(item.index)
    default:
      return undefined
  }
}

/** JSON in memory is a subset of what expressions work on; an interface has no index signature, hence the wide type. */
function asValue(value: Json | object | undefined): Value | undefined {
  return value as Value | ValueMap | undefined
}
