/** The limits of a request. */
const MAX_TEXT = 1000
const givenText = (description: string) => ({ type: 'string', minLength: 1, maxLength: MAX_TEXT, description }) as const

export const given = {
  text: givenText,
  time: (description: string) => ({ type: 'string', format: 'date-time', maxLength: 40, description }) as const,
  limit: (maximum: number, usual: number) =>
    ({ type: 'integer', minimum: 1, maximum, description: `The maximum number. Default: ${usual}.` }) as const,
  runId: givenText('The id of the run.'),
  pipeline: givenText('The name of the pipeline.'),
  trigger: givenText('The id of the trigger.'),
  reason: givenText('Why, for the records of the run and the audit log.'),
} as const

/** The inputs of a run, by name. */
export const inputs = {
  type: 'object',
  additionalProperties: {},
  maxProperties: 1000,
  description: 'Inputs by name. Integers beyond 2^53 are strings.',
} as const
