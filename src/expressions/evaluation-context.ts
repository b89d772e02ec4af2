import type { Budget } from './budget.ts'
import { ExpressionFailure } from './failure.ts'
import { KIND_NAMES, withArticle } from './kinds.ts'
import type { Node } from './parse.ts'
import { kindOf, type Timestamp, type Value } from './value.ts'

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

/** The result, or a failure that something else can cancel. */
export function attemptEffect<T>(effect: () => T, budget: Budget): T | ExpressionFailure {
  try {
    return effect()
  } catch (error) {
    if (!(error instanceof ExpressionFailure) || error.exhausted) throw error
    budget.spend(FAILURE_UNITS, error)
    return error
  }
}

/** Cost of making an error, in units. */
const FAILURE_UNITS = 20

/** The boolean value; otherwise throws a failure that says what was found instead. */
export function truth(value: Value, node: Node): boolean {
  if (typeof value === 'boolean') return value
  throw new ExpressionFailure(`a boolean is needed here, but this is ${withArticle(KIND_NAMES[kindOf(value)])}`, node)
}
