/** What the nights of a variant are to come to; see `live-through.ts`. */

export const ONE_EACH = { segments: 1, matches: 1, activations: 1 }

/** Everything is made; there is nothing to do; there are other people in the file. */
export function threeNightsOf(name: string): readonly unknown[] {
  // Another name is another file, as far as can be seen.
  const second = name === 'files under other names' ? 'refreshed refreshed' : 'unchanged unchanged'
  return ['0 created created created', `0 ${second} unchanged`, '0 refreshed refreshed unchanged', ONE_EACH]
}

/** The quickstart makes its own with each run. */
export const QUICKSTARTS = ['0 succeeded', '0 succeeded', { segments: 2, matches: 2, activations: 2 }]

/** Where no list shows it, only a person can find out whether it was made. */
const ASKS: Readonly<Record<string, string>> = {
  'a match that the list never shows': 'matches.create',
  'nothing in any list': 'matches.create',
  'an activation that the list never shows': 'activations.create',
}

export function lostAnswersOf(name: string): readonly unknown[] {
  const asks = ASKS[name]
  if (asks === undefined) return ['0 created created created', '0 refreshed refreshed unchanged', ONE_EACH]
  const activations = asks === 'matches.create' ? 0 : 1
  return [`1 asks about ${asks}`, `--done 1 asks about ${asks}`, { ...ONE_EACH, activations }]
}

/** Of what no list shows, and is remembered nowhere, nothing can be known: another one is made. */
export const isUnknowable = (name: string): boolean => name in ASKS || name === 'a segment that the list never shows'

/** What was there is found again. Whether the match is of this build of the segment is not known any more. */
export function lostMemoryOf(name: string): readonly unknown[] {
  const isFileUnknown = name.includes('an id and a name only') || name === 'files under other names'
  return ['0 created created created', `0 ${isFileUnknown ? 'refreshed' : 'unchanged'} refreshed unchanged`, ONE_EACH]
}
