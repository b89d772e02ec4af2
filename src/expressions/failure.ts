/**
 * Why an expression has no value, with its position in the text. The message names fields and types, never a value,
 * because a value may be a secret.
 */
export class ExpressionFailure extends Error {
  readonly start: number
  readonly end: number
  /** Something was missing, which `default()` handles. */
  readonly missing: boolean
  /** The expression exceeded its budget; nothing handles that. */
  readonly exhausted: boolean

  constructor(
    message: string,
    place: { start: number; end: number },
    options: { missing?: boolean; exhausted?: boolean } = {},
  ) {
    // `has()` and `default()` run into these failures all the time, and the stack trace of such a failure is never
    // read.
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

/** Thrown by the implementation of an operator or a function; the evaluator adds the position. */
export class OperationError extends Error {}
