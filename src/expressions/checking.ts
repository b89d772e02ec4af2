import type { ExpressionProblem, Node } from './parse.ts'
import type { Type } from './types.ts'

/** A walk over an expression that collects problems and goes on with `dyn`, so that one mistake is one problem. */
export interface Checking {
  check(node: Node): Type
  /** Checks a place that takes a boolean. */
  expectBoolean(node: Node): void
  /** The same walk with one more name, as inside a macro. */
  within(name: string, type: Type): Checking
  /** Adds a problem; gives `dyn`. */
  report(problem: Omit<ExpressionProblem, 'start' | 'end'>, place: { start: number; end: number }): Type
}
