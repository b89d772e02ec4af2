import type { JsonSchema } from '../core/json-schema.ts'
import { mapValues } from '../core/map-values.ts'
import type { FieldDeclaration, InputDeclaration, Pipeline } from '../core/pipeline.ts'

/**
 * The schema of the inputs of a run. It restores their types, because an integer and a number look alike when they are
 * read back from JSON.
 */
export function inputsSchema({ inputs }: Pick<Pipeline, 'inputs'>): JsonSchema {
  return { properties: mapValues(inputs, inputSchema) }
}

/** The schema of an input's values. */
export function inputSchema({ type, values, items = 'string' }: Omit<InputDeclaration, 'at'>): JsonSchema {
  switch (type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return { type }
    case 'enum':
      return { enum: values ?? [] }
    case 'list':
      return { type: 'array', items: typeof items === 'string' ? inputSchema({ type: items }) : entrySchema(items) }
    default:
      return { type: 'string' }
  }
}

/** The schema of the objects in a list. */
function entrySchema(fields: Readonly<Record<string, FieldDeclaration>>): JsonSchema {
  const required = Object.entries(fields).flatMap(([name, field]) => (field.default === undefined ? [name] : []))
  return { type: 'object', properties: mapValues(fields, inputSchema), required, additionalProperties: false }
}
