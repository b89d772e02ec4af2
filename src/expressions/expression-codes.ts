/** The errors that an expression can have before it runs: a code and its meaning, for the reference page. */
export const expressionCodes = {
  'computed-step': 'The expression computes which step it reads, or reads all steps at once.',
  'expression-syntax': 'The text between the braces is not an expression, or the braces are not closed.',
  'expression-too-complex': 'The expression is too long, is nested too deeply or has too many parts.',
  'expression-type': 'A value does not have the type that its place needs, or two values cannot be combined.',
  'expression-unsupported':
    'The expression uses a part of CEL that the language leaves out; the reference lists these parts.',
  'undeclared-env': 'The environment variable is not declared under env.',
  'unknown-field': 'The value has no field of this name.',
  'unknown-function': 'There is no function or method of this name.',
  'unknown-name': 'An expression cannot begin with this name here.',
  'unknown-step': 'There is no step with this id.',
  'step-not-needed': 'The step is not under needs, so it may not be done by then.',
  'wrong-argument': 'An argument has a value that the function cannot work with.',
  'wrong-arguments': 'The function is called with too many, too few or wrong arguments.',
} as const

export type ExpressionCode = keyof typeof expressionCodes
