import type { JsonSchema, ObjectSchema } from './json-schema.ts'

export const text = (description: string) => ({ type: 'string', description }) as const
export const time = (description: string) => ({ type: 'string', format: 'date-time', description }) as const
export const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const
export const flag = (description: string) => ({ type: 'boolean', description }) as const
/** Any JSON. Integers beyond 2^53 are strings. */
export const anything = (description: string) => ({ description }) as const

export const list = <const Items extends JsonSchema>(items: Items, description: string) =>
  ({ type: 'array', items, description }) as const

/** An object with exactly these fields. `Required` names those that are always present. */
export const object = <
  const Properties extends Readonly<Record<string, JsonSchema>>,
  const Required extends readonly (keyof Properties & string)[],
>(
  required: Required,
  properties: Properties,
) => ({ type: 'object', additionalProperties: false, required, properties }) as const satisfies ObjectSchema

export const noFields = object([], {})

/** A JSON object with any fields. */
export const record = (description: string) => ({ type: 'object', additionalProperties: {}, description }) as const
