import type { JsonSchema, ObjectSchema } from './json-schema.ts'

export const text = (description: string) => ({ type: 'string', description }) as const
export const time = (description: string) => ({ type: 'string', format: 'date-time', description }) as const
export const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const
export const flag = (description: string) => ({ type: 'boolean', description }) as const

/** What a number may be, and what it is if a document does not give it. */
interface Limits {
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly default?: number
}
export const integer = <const Given extends Limits>(limits: Given, description: string) =>
  ({ type: 'integer', ...limits, description }) as const
export const number = <const Given extends Limits>(limits: Given, description: string) =>
  ({ type: 'number', ...limits, description }) as const

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
