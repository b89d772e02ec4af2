import { isNotFound } from '../adapter/api-error.ts'
import { formats } from '../contract/formats.ts'
import type { SteadyClock } from '../core/clock.ts'
import { readAfterJob } from './read-after-job.ts'
import { type NamedMatch, named } from './read-match.ts'
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
): Promise<NamedMatch> {
  const read = async (id: string) => named(await api.matches.get({ matchId: id }, { signal }), id)
  const readEither = async () => {
    try {
      return await read(matchId)
    } catch (error) {
      if (!isNotFound(error) || jobId === undefined || jobId === matchId || !formats.int64(jobId)) throw error
      const made = await read(jobId).catch(() => undefined)
      // Jobs and matches may have numbers of their own, so it has to be what was asked for.
      if (made && isSameMatch(made.match, request)) return made
      throw error
    }
  }
  return readAfterJob(readEither, { clock, signal })
}
