import { resolve } from 'node:path'
import { FILE_SIGNALS } from '../contract/enumerations.ts'
import { DAY_MS } from '../core/duration.ts'
import { exactObject, flag, limitedList, type Static } from '../core/json-schema.ts'
import type { MembershipRule, OptOutFile, Privacy } from '../core/privacy.ts'
import { durationOf, durationSetting } from './schema-parts.ts'

/** The words that `membership` takes instead of `{ keep: 30d }`. */
export const MEMBERSHIP_PATTERN = '^(counts|none)$'

/** How the people in the lists are protected. */
export const privacy = exactObject({
  description: 'How the people in the lists are protected.',
  properties: {
    suppress: limitedList(
      { maxItems: 100, uniqueItems: true },
      {
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
            description:
              'The column with the keys: its name, or its number, counted from 1, if the file has no header.',
          },
          signal: { enum: FILE_SIGNALS, description: 'The kind of these keys.' },
        },
        description: 'The path of a file of keys, or { file, column, signal } for a file with further columns.',
      },
      'Files with the keys of people who opted out, relative to this file. From its next run, every files.prepare leaves out these keys. It fails if a file is missing or does not look like such a list.',
    ),
    requirePrepared: flag(
      'Only files that files.prepare wrote may be uploaded. Anything else is an error of validate, and of the run. Default: false.',
    ),
    membership: {
      type: ['object', 'string'],
      pattern: MEMBERSHIP_PATTERN,
      additionalProperties: false,
      required: ['keep'],
      properties: {
        keep: durationSetting('How long the fingerprints of a list are kept.'),
      },
      description:
        'What is kept about the people in a list. { keep: 30d }: keyed fingerprints are kept for this long, and show how many people were added and removed. This is the default. counts: only how many keys a list had. none: nothing.',
    },
  },
})

export interface PrivacyConfig extends Omit<Static<typeof privacy>, 'membership' | 'suppress'> {
  readonly suppress?: readonly OptOutFile[]
  readonly membership?: { readonly keep: string } | 'counts' | 'none'
}

/**
 * How people are protected, according to a configuration that its schema has checked. Paths are relative to `folder`.
 */
export function privacyOf(config: PrivacyConfig = {}, folder: string): Privacy {
  const { suppress = [], membership } = config
  return {
    suppress: suppress.map((one) =>
      typeof one === 'string' ? resolve(folder, one) : { ...one, file: resolve(folder, one.file) },
    ),
    membership: membershipOf(membership),
  }
}

function membershipOf(rule: PrivacyConfig['membership']): MembershipRule {
  if (typeof rule === 'string') return { kind: rule }
  return { kind: 'fingerprints', keepMs: durationOf(rule?.keep, 30 * DAY_MS) }
}
