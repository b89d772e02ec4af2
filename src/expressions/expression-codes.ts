/** The errors of an expression before it runs: a code and its meaning, for the reference page. */
export const expressionCodes = {
  'computed-step': 'Which step an expression reads is computed, or it reads all of them at once.',
  'expression-syntax': 'The text between the braces is not an expression, or the braces are not closed.',
  'expression-too-complex': 'The expression is longer, deeper or has more parts than an expression may have.',
  'expression-type': 'A value has another type than its place needs, or two values cannot go together.',
  'expression-unsupported': 'The expression uses a part of CEL that the language leaves out; the reference lists them.',
  'undeclared-env': 'The environment variable is not declared under env.',
  'unknown-field': 'The value has no field of this name.',
  'unknown-function': 'There is no function or method of this name.',
  'unknown-name': 'An expression cannot begin with this name here.',
  'unknown-step': 'There is no step with this id.',
  'step-not-needed': 'The step is not among the needs, so that it may not be done before.',
  'wrong-argument': 'An argument has a value that the function cannot work with.',
  'wrong-arguments': 'The function is called with too many, too few or other arguments.',
} as const

export type ExpressionCode = keyof typeof expressionCodes
