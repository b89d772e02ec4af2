import type { Match } from '../../contract/matches.ts'
import type { JsonObject } from '../../core/json.ts'
import { isAtRest, isTerminal } from '../match-rest.ts'
import { readIfThere } from '../read-if-there.ts'
import { shown } from '../shown.ts'
import type { Finding, LookupDeps, Reconciler } from './reconciler.ts'

/**
 * Reconciles changes to a match. Its matchJobId names the last job that worked on it. Its status says whether a job is
 * working on it now (decisions 72 and 81).
 */
export const matchChangeReconciler: Reconciler<'matches.refresh' | 'matches.testControl'> = {
  lookedFor: ({ matchId }) => `a new job on match ${matchId}`,
  async before({ matchId }, deps) {
    const { matchJobId, status } = (await readMatch(matchId, deps)) ?? {}
    return { matchJobId: matchJobId ?? null, status }
  },
  async look({ request, before, confirmed }, deps) {
    const match = await readMatch(request.matchId, deps)
    const atRest = match !== undefined && !isMoving(match, before) && (await isAtRest(match, deps))
    return decideMatchChange(match, { before, confirmed, atRest })
  },
  refusal: () => 'lookAndSendAgain',
}

export function decideMatchChange(
  match: Match | undefined,
  { before, confirmed, atRest }: { before: JsonObject; confirmed: boolean; atRest: boolean },
): Finding {
  if (!match) return { state: 'notDone' }
  const { matchId } = match
  const jobId = shown(match.matchJobId)
  const wasKnown = typeof before.matchJobId === 'string' && before.matchJobId !== ''
  const isNewJob = jobId !== undefined && wasKnown && jobId !== before.matchJobId
  if (isNewJob || (atRest && confirmed)) {
    return { state: 'done', answer: { id: jobId, matchId } }
  }
  return { state: atRest ? 'notVisible' : 'inProgress' }
}

/**
 * Whether the status is not final and differs from the one before the request. If so, a new job is working on the
 * match, although the match still names the previous job.
 */
function isMoving(match: Match, { status }: JsonObject): boolean {
  return typeof status === 'string' && match.status !== status && !isTerminal(match)
}

function readMatch(matchId: string, { api, signal }: LookupDeps): Promise<Match | undefined> {
  return readIfThere(() => api.matches.get({ matchId }, { signal }))
}
