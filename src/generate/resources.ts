import type { Operation } from '../contract/operation.ts'
import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'
import { isObjectSchema } from './describe-schema.ts'

/** The operations of one kind of resource, such as segments. Each gets a reference page and an OpenAPI tag. */
export interface Resource {
  /** The first part of the ids of its operations. */
  readonly name: string
  readonly operations: readonly (readonly [id: string, operation: Operation])[]
}

/** The operations by resource, in the order of the contract. */
export function operationsByResource(operations: Readonly<Record<string, Operation>>): Resource[] {
  const entries = Object.entries(operations)
  return [...Map.groupBy(entries, ([id]) => resourceOf(id))].map(([name, own]) => ({ name, operations: own }))
}

/** The resource of an operation or a step type: `segments` of `segments.create`. */
export function resourceOf(id: string): string {
  return id.split('.')[0] ?? id
}

/**
 * The titled schemas that a resource's own page describes: those in the responses of its operations, except the job in
 * the response of a write, which the page on jobs describes.
 */
export function schemasDescribedBy({ operations }: Resource): Map<string, ObjectSchema> {
  return titledSchemas(operations.map(([, { output, job }]) => (job ? null : output)))
}

/** Every schema with a title, among the given ones and inside them. Throws if two schemas share a title. */
export function titledSchemas(schemas: Iterable<JsonSchema | null>): Map<string, ObjectSchema> {
  const found = new Map<string, ObjectSchema>()
  for (const schema of schemas) if (schema) collect(schema, found)
  return found
}

function collect(schema: JsonSchema, found: Map<string, ObjectSchema>): void {
  const { title, properties, items } = schema
  if (title !== undefined) {
    if (!isObjectSchema(schema)) throw new Error(`the schema ${title} does not describe an object`)
    if ((found.get(title) ?? schema) !== schema) throw new Error(`two schemas have the title ${title}`)
    found.set(title, schema)
  }
  for (const property of Object.values(properties ?? {})) collect(property, found)
  if (items) collect(items, found)
}
