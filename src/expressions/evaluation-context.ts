import { isJsonObject, type Json } from '../core/json.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { Budget } from './budget.ts'
import { ExpressionFailure } from './failure.ts'
import type { Node } from './parse.ts'
import { timestampAtMs } from './time.ts'
import { describeValue, type Timestamp, type Value, type ValueMap } from './value.ts'
import type { Scope } from './values.ts'

/** The names and values for an evaluation. */
export interface EvaluationContext {
  /** The value of a name that an expression can begin with. */
  readonly root: (name: string) => Value | undefined
  readonly startedAt: Timestamp | undefined
  readonly failed: boolean
  readonly budget: Budget
}

/** Names that a macro has bound, innermost first. */
export interface Binding {
  readonly name: string
  readonly value: Value
  readonly outer: Binding | undefined
}

/** The result of `effect`, or its failure if something else can cancel that failure. */
export function attemptEffect<T>(effect: () => T, budget: Budget): T | ExpressionFailure {
  try {
    return effect()
  } catch (error) {
    if (!(error instanceof ExpressionFailure) || error.exhausted) throw error
    budget.spend(FAILURE_UNITS, error)
    return error
  }
}

/** The cost of making an error, in units. */
const FAILURE_UNITS = 20

/** Whether one of the parts is `decisive`. As in CEL, a decisive part cancels the failures of other parts. */
export function isDecided<Part>(
  parts: readonly Part[],
  holds: (part: Part) => boolean,
  { decisive, budget }: { decisive: boolean; budget: Budget },
): boolean {
  let failure: ExpressionFailure | undefined
  for (const part of parts) {
    const result = attemptEffect(() => holds(part), budget)
    if (result === decisive) return true
    if (result instanceof ExpressionFailure) failure ??= result
  }
  if (failure) throw failure
  return false
}

/** The boolean value; otherwise throws a failure that says what was found instead. */
export function truth(value: Value, node: Node): boolean {
  if (typeof value === 'boolean') return value
  throw new ExpressionFailure(`a boolean is needed here, but this is ${describeValue(value)}`, node)
}

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

/**
 * JSON in memory is a subset of the values that expressions work on. The type of the parameter includes `object`,
 * because an interface has no index signature.
 */
function asValue(value: Json | object | undefined): Value | undefined {
  return value as Value | ValueMap | undefined
}
