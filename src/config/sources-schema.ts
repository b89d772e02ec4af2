import type { ObjectSchema, Static } from '../core/json-schema.ts'
import { duration } from './schema-parts.ts'

/** Where one list comes from. */
const source = {
  type: 'object',
  additionalProperties: false,
  description: 'Either path or command.',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      description:
        'A file, or with *, ? and ** several, relative to this file: CSV, TSV, NDJSON or Parquet, also in gzip or Zstandard. {date} is the day that the step gives.',
    },
    command: {
      type: 'array',
      minItems: 1,
      items: { type: 'string' },
      description:
        'A program and its arguments; no shell is involved. It writes the rows to the file {out}. {date} is the day that the step gives.',
    },
    timeout: duration('The longest time for the command. Default: 30m.'),
  },
} as const satisfies ObjectSchema

export const sources = {
  type: 'object',
  additionalProperties: source,
  description: 'Where lists come from, by name, for `from: { source: NAME }` of files.prepare.',
} as const

export type SourceConfig = Static<typeof source>
