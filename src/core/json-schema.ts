import type { XStatic } from 'typebox/schema'

/** A JSON Schema 2020-12 document, or a part of one, as plain data. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly [keyword: string]: unknown
}

/** A JSON Schema of an object with named properties. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, JsonSchema>>
}

/**
 * The TypeScript type of the values that a schema accepts. Schemas are plain data written `as const`. TypeBox infers
 * the type and is absent at run time, because importing it takes longer than the whole of Node's own startup.
 */
export type Static<Schema> = XStatic<Schema>

/** The type of the values that a schema accepts, deeply readonly. */
export type ValueOf<Schema> = Frozen<Static<Schema>>

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T

export const text = (description: string) => ({ type: 'string', description }) as const
export const time = (description: string) => ({ type: 'string', format: 'date-time', description }) as const
export const wholeNumber = (description: string) => ({ type: 'integer', minimum: 0, description }) as const
export const matching = <const Pattern extends string>(pattern: Pattern, description: string) =>
  ({ type: 'string', pattern, description }) as const
export const flag = (description: string) => ({ type: 'boolean', description }) as const

/** The range of a number, and its value if a document does not give one. */
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

/** How many items a list has, and whether they differ. */
interface ListLimits {
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: true
}
export const limitedList = <const Given extends ListLimits, const Items extends JsonSchema>(
  limits: Given,
  items: Items,
  description: string,
) => ({ type: 'array', ...limits, items, description }) as const

/** An object with exactly the properties of this schema. */
export const exactObject = <const Schema extends JsonSchema & Pick<ObjectSchema, 'properties'>>(schema: Schema) =>
  ({ type: 'object', additionalProperties: false, ...schema }) as const

/** An object with exactly these fields. `Required` names those that are always present. */
export const object = <
  const Properties extends Readonly<Record<string, JsonSchema>>,
  const Required extends readonly (keyof Properties & string)[],
>(
  required: Required,
  properties: Properties,
) => exactObject({ required, properties })

export const noFields = object([], {})

/** A JSON object with any fields. */
export const anyObject = (description: string) => ({ type: 'object', additionalProperties: {}, description }) as const
