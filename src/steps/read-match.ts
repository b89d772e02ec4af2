import { formats } from '../contract/formats.ts'
import type { Match } from '../contract/matches.ts'
import { readIfThere } from './read-if-there.ts'
import { shown } from './shown.ts'
import type { LookupDeps } from './writes/reconciler.ts'

/** A match under the id that paths accept. The service may show another id, which they do not accept (decision 71). */
export interface NamedMatch {
  /** Its `matchId` is the id that paths accept. */
  readonly match: Match
  /** The id that it shows, as in lists. */
  readonly shownId: string
}

/** What a person needs to know about a match to distinguish it from others. */
export function describeMatch({ match, shownId }: NamedMatch): string {
  const { matchId, matchApprover, status, deliveryScope } = match
  const scopes = deliveryScope?.length ? deliveryScope.join(' ') : 'not shown'
  const readAs = matchId === shownId ? '' : `read as ${matchId}, `
  return `match ${shownId} (${readAs}approver ${shown(matchApprover) ?? 'not shown'}, status ${status}, scopes ${scopes})`
}

export function withAskedId(match: Match, matchId: string): NamedMatch {
  return { match: { ...match, matchId }, shownId: match.matchId }
}

/** The match that a path finds under an id; undefined if there is none. */
export async function readMatch(matchId: string, { api, signal }: LookupDeps): Promise<NamedMatch | undefined> {
  if (!formats.int64(matchId)) return undefined
  const match = await readIfThere(() => api.matches.get({ matchId }, { signal }))
  return match && withAskedId(match, matchId)
}

/** Reads a match of a list. Paths accept the id that the match shows, or the id of the job that made it. */
export async function readListed(listed: Match, deps: LookupDeps): Promise<NamedMatch> {
  const { matchId: shownId } = listed
  for (const id of [shownId, shown(listed.matchJobId)]) {
    const found = id === undefined ? undefined : await readMatch(id, deps)
    // Jobs and matches may be numbered independently.
    if (found?.shownId === shownId) return found
  }
  return { match: listed, shownId }
}
