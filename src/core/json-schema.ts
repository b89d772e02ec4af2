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

/** The same type, deeply readonly. */
export type FrozenStatic<Schema> = Frozen<Static<Schema>>

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T
