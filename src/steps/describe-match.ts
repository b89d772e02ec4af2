import type { NamedMatch } from './read-match.ts'
import { shown } from './shown.ts'

/** What a person needs to know about a match to tell it from others. */
export function describeMatch({ match, shownId }: NamedMatch): string {
  const { matchId, matchApprover, status, deliveryScope } = match
  const scopes = deliveryScope?.length ? deliveryScope.join(' ') : 'not shown'
  const readAs = matchId === shownId ? '' : `read as ${matchId}, `
  return `match ${shownId} (${readAs}approver ${shown(matchApprover) ?? 'not shown'}, status ${status}, scopes ${scopes})`
}
