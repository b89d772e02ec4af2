import { DURATION_PATTERN } from '../core/duration.ts'

/** The pattern of step and trigger ids. */
export const ID_PATTERN = '^[a-z][A-Za-z0-9_]*$'
/** The names that an expression can write after a dot. */
export const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]*$'
/** The name of a pipeline. */
export const PIPELINE_NAME_PATTERN = '^[a-z0-9][a-z0-9_-]*$'

/** A share of the items of a forEach. */
export const PERCENT_PATTERN = '^(100|[0-9]{1,2}(\\.[0-9]{1,3})?)%$'

/**
 * The maximum number of steps in a section, including the steps of blocks. The time for checking grows with the square
 * of this number.
 */
export const MAX_STEPS = 500
/** The maximum number of inputs of a document; the same limit applies to environment variables and to triggers. */
export const MAX_DECLARATIONS = 200

export const duration = (description: string) =>
  ({ type: 'string', pattern: DURATION_PATTERN, description: `${description} Such as 30s, 15m, 2h or 7d.` }) as const
/** A duration with a default. */
export const durationOr = <const Default extends string>(byDefault: Default, description: string) =>
  ({ ...duration(description), default: byDefault }) as const
/** The end of the description of positions that take one expression and nothing else. */
export const WHOLE_EXPRESSION = `One whole expression: \${{ … }}.`
/** The end of the description of positions that are evaluated as text. */
export const MAY_HOLD_EXPRESSIONS = 'May contain expressions.'
export const template = (description: string) =>
  ({ type: 'string', description: `${description} ${MAY_HOLD_EXPRESSIONS}` }) as const
export const condition = (description: string) =>
  ({ type: 'string', description: `${description} ${WHOLE_EXPRESSION}` }) as const
