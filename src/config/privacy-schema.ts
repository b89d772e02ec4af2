import type { ObjectSchema, Static } from '../core/json-schema.ts'
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
      items: { type: 'string', minLength: 1 },
      description:
        'Files with the keys of people who opted out, relative to this file. Every files.prepare leaves them out from its next run on, and fails if a file is missing.',
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

export interface PrivacyConfig extends Omit<Static<typeof privacy>, 'membership'> {
  readonly membership?: { readonly keep: string } | 'counts' | 'none'
}
