import { FILE_SIGNALS } from '../contract/enumerations.ts'
import type { ObjectSchema, Static } from '../core/json-schema.ts'
import type { OptOutFile } from '../core/privacy.ts'
import { duration } from './schema-parts.ts'

/** The words that `membership` takes instead of `{ keep: 30d }`. */
export const MEMBERSHIP_PATTERN = '^(counts|none)$'

/** How the people in the lists are protected. */
export const privacy = {
  type: 'object',
  additionalProperties: false,
  description: 'How the people in the lists are protected.',
  properties: {
    suppress: {
      type: 'array',
      maxItems: 100,
      uniqueItems: true,
      items: {
        type: ['string', 'object'],
        minLength: 1,
        additionalProperties: false,
        required: ['file', 'column', 'signal'],
        properties: {
          file: { type: 'string', minLength: 1, description: 'Path of the file, relative to this file.' },
          column: {
            type: ['string', 'integer'],
            minLength: 1,
            minimum: 1,
            description: 'The column with the keys: its name, or its number from 1 where the file has no header.',
          },
          signal: { enum: FILE_SIGNALS, description: 'The kind of these keys.' },
        },
        description: 'The path of a file of keys, or { file, column, signal } for a file that has more than keys.',
      },
      description:
        'Files with the keys of people who opted out, relative to this file. Every files.prepare leaves them out from its next run on, and fails if a file is missing or does not prove that it is such a list.',
    },
    requirePrepared: {
      type: 'boolean',
      description:
        'Only files that files.prepare wrote may be uploaded. Anything else is an error of validate, and of the run. Default: false.',
    },
    membership: {
      type: ['object', 'string'],
      pattern: MEMBERSHIP_PATTERN,
      additionalProperties: false,
      required: ['keep'],
      properties: {
        keep: duration('How long the fingerprints of a list are kept.'),
      },
      description:
        'What is kept of who was in a list. { keep: 30d }: keyed fingerprints, for as long, which say who was added and removed in figures; the default. counts: only how many keys a list had. none: nothing.',
    },
  },
} as const satisfies ObjectSchema

export interface PrivacyConfig extends Omit<Static<typeof privacy>, 'membership' | 'suppress'> {
  readonly suppress?: readonly OptOutFile[]
  readonly membership?: { readonly keep: string } | 'counts' | 'none'
}
