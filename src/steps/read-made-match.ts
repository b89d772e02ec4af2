import { formats } from '../contract/formats.ts'
import type { SteadyClock } from '../core/clock.ts'
import { ifAbsent, isAbsent, MadeOtherError, refuseOther } from './made-other.ts'
import { isMadeFor } from './ownership.ts'
import { readAfterJob } from './read-after-job.ts'
import { describeMatch, type NamedMatch, readMatch, withAskedId } from './read-match.ts'
import { counterpartOf, isSameMatch, type MatchRequest } from './same-match.ts'
import type { LookupDeps, ReconcileDeps } from './writes/reconciler.ts'

interface MadeIds {
  readonly matchId: string
  readonly jobId: string | undefined
}

/**
 * The match that a job has just made, with the id that its paths use: the id that the job names, or the job's own
 * (decision 71). It may become visible some time after the job's success (decision 141).
 */
export function readMadeMatch(
  ids: MadeIds,
  request: MatchRequest,
  deps: LookupDeps & { clock: SteadyClock },
): Promise<NamedMatch> {
  return readAfterJob(() => readByEither(ids, request, deps), deps)
}

/**
 * The match with the number of a job that does not name what it made (decisions 71 and 139). A service may number its
 * jobs and matches independently. So a match counts only if it fits the request, and if it is not known to be from
 * another job or for another partner, group or scope.
 */
export async function readMatchOfJob(
  jobId: string,
  request: MatchRequest,
  deps: ReconcileDeps,
): Promise<NamedMatch | undefined> {
  const found = await readMatch(jobId, deps)
  if (!found || !isSameMatch(found.match, request)) return undefined
  const maker = await deps.made.byId('match', found.shownId)
  const isOfOther = maker && ((!maker.found && maker.job !== jobId) || !isMadeFor(maker, request))
  return isOfOther ? undefined : found
}

/** Throws if neither id shows a match that fits the request. */
export async function readByEither(
  { matchId, jobId }: MadeIds,
  request: MatchRequest,
  { api, signal }: LookupDeps,
): Promise<NamedMatch> {
  const read = async (id: string) => {
    const made = withAskedId(await api.matches.get({ matchId: id }, { signal }), id)
    refuseOther('matches.create', request, id, made.match)
    if (isSameMatch(made.match, request)) return made
    throw new MadeOtherError(`match ${id}`, otherMatch(made, request))
  }
  try {
    return await read(matchId)
  } catch (error) {
    if (!isAbsent(error) || jobId === undefined || jobId === matchId || !formats.int64(jobId)) throw error
    // Jobs and matches may be numbered independently: a match that does not fit the request counts as absent.
    const made = await read(jobId).catch(ifAbsent)
    if (made) return made
    throw error
  }
}

function otherMatch(made: NamedMatch, request: MatchRequest): string {
  return `it is ${describeMatch(made)}, but one with ${counterpartOf(request)} in ${request.deliveryScopes.join(' ')} was asked for`
}
