import { isNotFound } from '../adapter/api-error.ts'
import { formats } from '../contract/formats.ts'
import type { Match } from '../contract/matches.ts'
import type { SteadyClock } from '../core/clock.ts'
import { readAfterJob } from './read-after-job.ts'
import type { LookMeans } from './reconcile/reconciler.ts'
import { isSameMatch, type MatchRequest } from './same-match.ts'

/**
 * The match that a job has just made, with the id that its paths take: the one that the job names, or that of the job
 * itself (decision 71). It may show only a while after the job's success (decision 141).
 */
export function readMadeMatch(
  { matchId, jobId }: { readonly matchId: string; readonly jobId: string | undefined },
  request: MatchRequest,
  { api, clock, signal }: LookMeans & { readonly clock: SteadyClock },
): Promise<Match> {
  const read = async (id: string) => ({ ...(await api.matches.get({ matchId: id }, { signal })), matchId: id })
  const readEither = async () => {
    try {
      return await read(matchId)
    } catch (error) {
      if (!isNotFound(error) || jobId === undefined || jobId === matchId || !formats.int64(jobId)) throw error
      const match = await read(jobId).catch(() => undefined)
      // Jobs and matches may have numbers of their own, so it has to be what was asked for.
      if (match && isSameMatch(match, request)) return match
      throw error
    }
  }
  return readAfterJob(readEither, { clock, signal })
}
