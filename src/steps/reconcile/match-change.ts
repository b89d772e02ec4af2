import { isNotFound } from '../../adapter/api-error.ts'
import { TERMINAL_MATCH_STATUSES } from '../../contract/enumerations.ts'
import type { Match } from '../../contract/matches.ts'
import type { JsonObject } from '../../core/json.ts'
import type { LookMeans, Reconciler, Verdict } from './reconciler.ts'

/**
 * For what changes a match: its status says that a job works on it, and its matchJobId which one did last (decisions
 * 72 and 81).
 */
export const matchChange: Reconciler<'matches.refresh' | 'matches.testControl'> = {
  lookedFor: ({ matchId }) => `a new job on match ${matchId}`,
  async before({ matchId }, means) {
    const match = await readMatch(matchId, means)
    return { matchJobId: match?.matchJobId ?? null }
  },
  async look({ request, before, confirmed }, means) {
    return decideMatchChange(await readMatch(request.matchId, means), { before, confirmed })
  },
}

export function decideMatchChange(
  match: Match | undefined,
  { before, confirmed }: { before: JsonObject; confirmed: boolean },
): Verdict {
  if (!match) return { state: 'notDone' }
  const { matchId, matchJobId, status } = match
  if (!TERMINAL_MATCH_STATUSES.some((terminal) => terminal === status)) return { state: 'underWay' }
  const isNewJob = matchJobId !== undefined && before.matchJobId !== null && matchJobId !== before.matchJobId
  if (!isNewJob && !confirmed) return { state: 'unseen' }
  return { state: 'done', answer: { ...(matchJobId !== undefined && { id: matchJobId }), matchId } }
}

async function readMatch(matchId: string, { api, signal }: LookMeans): Promise<Match | undefined> {
  try {
    return await api.matches.get({ matchId }, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
