import type { ExpressionProblem, Node } from './parse.ts'
import type { Type } from './types.ts'

/**
 * A walk over an expression that collects problems. After a problem it continues with `dyn`, so that one mistake is
 * reported once.
 */
export interface Checking {
  check(node: Node): Type
  /** Like `check`, for the part before a `.` or `[`: there, a record that can only be read field by field is fine. */
  typeOf(node: Node): Type
  /** Checks a node; returns whether it has no problem. */
  isSound(node: Node): boolean
  /** Checks a position that takes a boolean. */
  expectBoolean(node: Node): void
  /** The same walk with one more name, for the inside of a macro. */
  within(name: string, type: Type): Checking
  /** Adds a problem; returns `dyn`. */
  report(problem: Omit<ExpressionProblem, 'start' | 'end'>, place: { start: number; end: number }): Type
  /** Adds a problem with a type; returns `dyn`. */
  mismatch(message: string, node: Node, hint?: string): Type
}
