import { isNotFound } from '../../adapter/api-error.ts'
import type { Match } from '../../contract/matches.ts'
import type { InputOf } from '../../contract/operations.ts'
import { isSameMatch } from '../same-match.ts'
import { idsIn, type LookMeans, type Reconciler, type Verdict } from './reconciler.ts'
import { saysAlready } from './says-already.ts'

type Request = InputOf<'matches.create'>

/** A new match of the same segment, approver and scopes among those that one asked for. */
export const matchesCreate: Reconciler<'matches.create'> = {
  lookedFor: ({ segmentId, groupId, partnerId }) =>
    `a new match of segment ${segmentId} with ${groupId === undefined ? `partner ${partnerId}` : `group ${groupId}`}`,
  async before(request, means) {
    return { ids: (await sameMatches(request, means)).map(({ matchId }) => matchId) }
  },
  async look({ request, before, confirmed }, means) {
    return decideMatchesCreate(await sameMatches(request, means), { idsBefore: idsIn(before), confirmed })
  },
  provesApplied: saysAlready,
}

/** `same`: the matches that fit the request, old and new. */
export function decideMatchesCreate(
  same: readonly Match[],
  { idsBefore, confirmed }: { idsBefore: readonly string[]; confirmed: boolean },
): Verdict {
  const fresh = same.filter(({ matchId }) => !idsBefore.includes(matchId))
  const [match, ...more] = fresh.length === 0 && confirmed ? same.slice(-1) : fresh
  if (!match) return { state: 'unseen' }
  if (more.length > 0 && !confirmed) {
    return {
      state: 'undecided',
      why: `there are ${more.length + 1} of them: ${fresh.map((one) => one.matchId).join(', ')}`,
    }
  }
  const { matchId } = more.at(-1) ?? match
  // A match has the id of the job that created it (decision 71).
  return { state: 'done', answer: { id: matchId, matchId } }
}

async function sameMatches(request: Request, means: LookMeans): Promise<Match[]> {
  const { api, signal } = means
  const segmentName = await nameOfSegment(request.segmentId, means)
  const filter = { requester: true, ...(segmentName && { segmentName }) }
  const matches = await Array.fromAsync(api.items('matches.list', filter, { signal }))
  return matches.filter((match) => isSameMatch(match, request))
}

/** Undefined where there is no such segment: the request itself will hear that. */
async function nameOfSegment(id: string, { api, signal }: LookMeans): Promise<string | undefined> {
  try {
    return (await api.segments.get({ id }, { signal })).segmentName
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
