import type { ObjectSchema } from '../core/json-schema.ts'
import { describeLimits, describeType } from './describe-schema.ts'
import { code, table } from './markdown.ts'

/** A table of the input fields. `placeOf` adds a column that says which part of the request carries each. */
export function inputTable({ properties, required }: ObjectSchema, placeOf?: (name: string) => string): string {
  return table(
    ['field', ...(placeOf ? ['in'] : []), 'type', 'required', 'limits', 'meaning'],
    Object.entries(properties).map(([name, schema]) => [
      code(name),
      ...(placeOf ? [placeOf(name)] : []),
      describeType(schema),
      required?.includes(name) ? 'yes' : '',
      describeLimits(schema),
      schema.description ?? '',
    ]),
  )
}

/** A table of the output fields. */
export function outputTable({ properties, required }: ObjectSchema): string {
  return table(
    ['field', 'type', 'always there', 'values', 'meaning'],
    Object.entries(properties).map(([name, schema]) => [
      code(name),
      describeType(schema),
      required?.includes(name) ? 'yes' : '',
      describeLimits(schema),
      schema.description ?? '',
    ]),
  )
}
