/**
 * Why an expression has no value, at a place in its text. Its message names fields and types, never a value, because a
 * value may be a secret.
 */
export class ExpressionFailure extends Error {
  readonly start: number
  readonly end: number
  /** Something was not there, which `default()` forgives. */
  readonly missing: boolean
  /** The expression did too much; nothing forgives that. */
  readonly exhausted: boolean

  constructor(
    message: string,
    place: { start: number; end: number },
    options: { missing?: boolean; exhausted?: boolean } = {},
  ) {
    // `has()` and `default()` meet these all the time, and nobody reads where in our code they come from.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.start = place.start
    this.end = place.end
    this.missing = options.missing ?? false
    this.exhausted = options.exhausted ?? false
  }
}

/** What the implementation of an operator or a function throws; the evaluator adds the place. */
export class OperationError extends Error {}
