import { expect } from 'vitest'

/** The expected results of the nights of a variant; see `live-through.ts`. */

export const ONE_EACH = { segments: 1, matches: 1, activations: 1 }

/** Everything is made; there is nothing to do; there are other people in the file. */
export function threeNightsOf(name: string): readonly unknown[] {
  // A file under another name looks like a different file.
  const second = name === 'files under other names' ? 'refreshed refreshed' : 'unchanged unchanged'
  return ['0 created created created', `0 ${second} unchanged`, '0 refreshed refreshed unchanged', ONE_EACH]
}

/** The quickstart makes its own segment, match and activation with each run. */
export const QUICKSTARTS = ['0 succeeded', '0 succeeded', { segments: 2, matches: 2, activations: 2 }]

const NIGHT_OF_OTHERS = '0 refreshed refreshed unchanged'

/** If no list shows it, only a person can find out whether it was made. */
const ASKS: Readonly<Record<string, string>> = {
  'a match that the list never shows': 'matches.create',
  'an activation that the list never shows': 'activations.create',
}

/** The service refuses a second segment and does not show the first: nothing continues, and nothing is made twice. */
const UNSEEN_SEGMENT = [
  'a segment that the list never shows',
  'nothing in any list',
  'lists that ignore filters, of segments with an id and a name only',
]

export function lostAnswersOf(name: string): readonly unknown[] {
  if (name === 'what a job made is 404 for twenty seconds')
    return ['1 asks about activations.create', '--done 0 created created created', NIGHT_OF_OTHERS, ONE_EACH]
  if (UNSEEN_SEGMENT.includes(name)) {
    const night = expect.stringMatching(/^1 (job-timeout|rejected): /)
    return [night, night, { segments: 1, matches: 0, activations: 0 }]
  }
  // Nothing shows the partner of the new match: a person decides (decision 153).
  if (isGroupUnknown(name))
    return ['1 asks about matches.create', '--done 0 created created created', NIGHT_OF_OTHERS, ONE_EACH]
  const asks = ASKS[name]
  if (asks === undefined) return ['0 created created created', NIGHT_OF_OTHERS, ONE_EACH]
  const activations = asks === 'matches.create' ? 0 : 1
  return [`1 asks about ${asks}`, `--done 1 asks about ${asks}`, { ...ONE_EACH, activations }]
}

/** If no list shows a thing and nothing remembers it, nobody can know about it: another one is made. */
export const isUnknowable = (name: string): boolean => name in ASKS || / never shows|any list/.test(name)

const isGroupUnknown = (name: string): boolean => name.startsWith('a group match')

/**
 * They can only be found in their lists, and these do not identify them: the service refuses another segment with the
 * same identifier.
 */
const REFUSED = ['lists that ignore filters, of segments with an id and a name only', 'lists that are ten seconds late']

/** Existing things are found again. It is no longer known whether the match belongs to this build of the segment. */
export function lostMemoryOf(name: string): readonly unknown[] {
  if (REFUSED.includes(name))
    return [
      '0 created created created',
      '1 rejected: POST /api/segments was rejected: 400 participantSegmentId is taken',
      ONE_EACH,
    ]
  // Nothing shows the partner of the match: a person decides (decision 153).
  if (isGroupUnknown(name))
    return ['0 created created created', expect.stringMatching(/^1 match-undecided: .*not known whom/), ONE_EACH]
  const isFileUnknown = name.includes('an id and a name only') || name === 'files under other names'
  return ['0 created created created', `0 ${isFileUnknown ? 'refreshed' : 'unchanged'} refreshed unchanged`, ONE_EACH]
}
