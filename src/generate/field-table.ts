import type { ObjectSchema } from '../core/json-schema.ts'
import { describeLimits, describeType } from './describe-schema.ts'
import { code, table } from './markdown.ts'

/** The fields that are given, as a table. `placeOf` adds a column on where each travels. */
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

/** The fields that come back, as a table. */
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
