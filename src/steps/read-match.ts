import { formats } from '../contract/formats.ts'
import type { Match } from '../contract/matches.ts'
import { readIfThere } from './read-if-there.ts'
import type { LookMeans } from './reconcile/reconciler.ts'
import { shown } from './shown.ts'

/** A match under the id that it is read by: a service may show another one, which its paths do not take (decision 71). */
export interface NamedMatch {
  /** Its `matchId` is the one that paths take. */
  readonly match: Match
  /** What it shows, as in lists. */
  readonly shownId: string
}

export function named(match: Match, matchId: string): NamedMatch {
  return { match: { ...match, matchId }, shownId: match.matchId }
}

/** The match that a path takes an id for; undefined where there is none. */
export async function readMatch(matchId: string, { api, signal }: LookMeans): Promise<NamedMatch | undefined> {
  if (!formats.int64(matchId)) return undefined
  const match = await readIfThere(() => api.matches.get({ matchId }, { signal }))
  return match && named(match, matchId)
}

/** A match of a list: its paths take the id that it shows, or that of the job which made it. */
export async function readListed(listed: Match, means: LookMeans): Promise<NamedMatch> {
  const { matchId: shownId } = listed
  for (const id of [shownId, shown(listed.matchJobId)]) {
    const found = id === undefined ? undefined : await readMatch(id, means)
    // Jobs and matches may have numbers of their own.
    if (found?.shownId === shownId) return found
  }
  return { match: listed, shownId }
}
