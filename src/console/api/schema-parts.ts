import type { JsonSchema, ObjectSchema } from '../../core/json-schema.ts'

export const text = (description: string) => ({ type: 'string', description }) as const
export const time = (description: string) => ({ type: 'string', format: 'date-time', description }) as const
export const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const
export const flag = (description: string) => ({ type: 'boolean', description }) as const
/** Any JSON. Integers beyond 2^53 are strings. */
export const anything = (description: string) => ({ description }) as const

export const list = <const Items extends JsonSchema>(items: Items, description: string) =>
  ({ type: 'array', items, description }) as const

/** An object with exactly these fields; `Required` names those that are always there. */
export const object = <
  const Properties extends Readonly<Record<string, JsonSchema>>,
  const Required extends readonly (keyof Properties & string)[],
>(
  required: Required,
  properties: Properties,
) => ({ type: 'object', additionalProperties: false, required, properties }) as const satisfies ObjectSchema

export const noFields = object([], {})

/** Limits on what a request may hold. */
const MAX_TEXT = 1000
const givenText = (description: string) => ({ type: 'string', minLength: 1, maxLength: MAX_TEXT, description }) as const

export const given = {
  text: givenText,
  time: (description: string) => ({ type: 'string', format: 'date-time', maxLength: 40, description }) as const,
  limit: (maximum: number, usual: number) =>
    ({ type: 'integer', minimum: 1, maximum, description: `How many at the most. Default: ${usual}.` }) as const,
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

/** A JSON object with any fields. */
export const record = (description: string) => ({ type: 'object', additionalProperties: {}, description }) as const
