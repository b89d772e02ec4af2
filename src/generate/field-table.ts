import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'
import { describeLimits, describeSchema } from './describe-schema.ts'
import { code, table } from './markdown.ts'

/** A table of the input fields. `placeOf` adds a column that says which part of the request carries each field. */
export function inputTable(fields: ObjectSchema, placeOf?: (name: string) => string): string {
  if (Object.keys(fields.properties).length === 0) return 'It takes no fields.'
  const head = ['field', ...(placeOf ? ['in'] : []), 'type', 'required', 'limits', 'meaning']
  return fieldTable(head, fields, { placeOf })
}

/** A table of the output fields. */
export function outputTable(fields: ObjectSchema): string {
  return fieldTable(['field', 'type', 'always there', 'values', 'meaning'], fields)
}

/** A row for each field: its name and place, its type, whether it is required, its limits and its meaning. */
export function fieldTable(
  head: readonly string[],
  { properties, required }: ObjectSchema,
  {
    placeOf,
    typeOf = describeSchema,
  }: {
    placeOf?: ((name: string) => string) | undefined
    typeOf?: (schema: JsonSchema) => string
  } = {},
): string {
  return table(
    head,
    Object.entries(properties).map(([name, schema]) => [
      code(name),
      ...(placeOf ? [placeOf(name)] : []),
      typeOf(schema),
      required?.includes(name) ? 'yes' : '',
      describeLimits(schema),
      schema.description ?? '',
    ]),
  )
}
