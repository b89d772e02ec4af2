import { isNotFound } from '../adapter/api-error.ts'
import { formats } from '../contract/formats.ts'
import type { SteadyClock } from '../core/clock.ts'
import { readAfterJob } from './read-after-job.ts'
import { type NamedMatch, named } from './read-match.ts'
import { isSameMatch, type MatchRequest } from './same-match.ts'
import type { LookupDeps } from './writes/reconciler.ts'

/**
 * The match that a job has just made, with the id that its paths take: the id that the job names, or the job's own
 * (decision 71). It may become visible some time after the job's success (decision 141).
 */
export function readMadeMatch(
  { matchId, jobId }: { readonly matchId: string; readonly jobId: string | undefined },
  request: MatchRequest,
  { api, clock, signal }: LookupDeps & { readonly clock: SteadyClock },
): Promise<NamedMatch> {
  const read = async (id: string) => named(await api.matches.get({ matchId: id }, { signal }), id)
  const readEither = async () => {
    try {
      return await read(matchId)
    } catch (error) {
      if (!isNotFound(error) || jobId === undefined || jobId === matchId || !formats.int64(jobId)) throw error
      const made = await read(jobId).catch(() => undefined)
      // Jobs and matches may be numbered independently, so the match has to fit the request.
      if (made && isSameMatch(made.match, request)) return made
      throw error
    }
  }
  return readAfterJob(readEither, { clock, signal })
}
