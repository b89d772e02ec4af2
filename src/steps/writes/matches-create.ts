import type { Match } from '../../contract/matches.ts'
import type { InputOf } from '../../contract/operations.ts'
import type { MadeThing } from '../../state/made-things.ts'
import { madeForMatch } from '../made-for.ts'
import { isTerminal } from '../match-rest.ts'
import { fitOfMatch, isMadeFor, mayBeMadeFor } from '../ownership.ts'
import { readDirectory } from '../read-directory.ts'
import { readJob } from '../read-job.ts'
import { counterpartOf, isSameMatch } from '../same-match.ts'
import { shown } from '../shown.ts'
import { type KnownBefore, newOne } from './new-one.ts'
import { type Finding, idsIn, type LookupDeps, type Reconciler } from './reconciler.ts'
import { verdictOfOwn } from './verdict-of-own.ts'

type Request = InputOf<'matches.create'>

/**
 * Looks for a new match of the same segment and scopes among the caller's requested matches. A match that does not show
 * its partner or group proves nothing (decisions 137 and 153).
 */
export const matchesCreateReconciler: Reconciler<'matches.create'> = {
  lookedFor: (request) => `a new match of segment ${request.segmentId} with ${counterpartOf(request)}`,
  async before(request, deps) {
    return { ids: (await sameMatches(request, deps)).map(({ matchId }) => matchId) }
  },
  async look(write, deps) {
    const { request, confirmed, jobId } = write
    const idsBefore = idsIn(write.before)
    const decide = async (own: readonly Match[], makerOf: (match: Match) => MadeThing | undefined) => {
      const isUnknown = (match: Match) => !idsBefore.includes(match.matchId) && makerOf(match) === undefined
      const directory = await readDirectory(own.filter(isUnknown), deps)
      const candidates = own.flatMap((match) => {
        const fit = fitOfMatch(match, request, { maker: makerOf(match), directory })
        return fit === 'none' ? [] : [{ match, isSure: fit === 'sure' }]
      })
      const isMade = jobId !== undefined
      return decideMatchesCreate(candidates, { idsBefore, confirmed, isMade }, (id) => isJob(id, deps))
    }
    return verdictOfOwn(await sameMatches(request, deps), decide, {
      ...write,
      what: madeForMatch(request),
      listed: ({ matchId, matchJobId }) => ({ id: matchId, job: shown(matchJobId) }),
      isOfOther: (maker) => !isMadeFor(maker, request),
      mayBeOf: mayBeMadeFor,
      deps,
    })
  },
  // A service may make the same match twice, so the request is not sent again.
  refusal: () => 'look',
  // What a job made may take this long to become visible (decision 141).
  visibleWithinMs: 30_000,
}

/**
 * `candidates`: the matches that may belong to the request, old and new. `isSure`: the match is known to be with the
 * wanted partner or group. `isMade`: the job of the request has made its match, so a single new match is that one.
 */
export async function decideMatchesCreate(
  candidates: readonly { match: Match; isSure: boolean }[],
  known: KnownBefore & { isMade: boolean },
  isJob: (id: string) => Promise<boolean>,
): Promise<Finding> {
  const found = newOne(candidates, ({ match }) => match.matchId, known)
  if (found.state !== 'one') return found
  const { match, isSure } = found.thing
  if (!isSure && !known.isMade && !known.confirmed) {
    const approver = shown(match.matchApprover) ?? 'not shown'
    return {
      state: 'ambiguous',
      why: `match ${match.matchId} is new, but it is not known whom it is with (approver ${approver})`,
    }
  }
  const { matchId, matchJobId } = match
  const jobId = shown(matchJobId)
  if (jobId !== undefined) return { state: 'done', answer: { id: jobId, matchId } }
  // A match may (decision 71) but need not (decision 140) have the id of the job that created it.
  if (await isJob(matchId)) return { state: 'done', answer: { id: matchId, matchId } }
  if (!isTerminal(match)) return { state: 'inProgress' }
  return { state: 'done', answer: { matchId } }
}

async function isJob(id: string, deps: LookupDeps): Promise<boolean> {
  return (await readJob(id, deps)) !== undefined
}

/** Not filtered by segment name, because a match may show a different name from its segment. */
async function sameMatches(request: Request, { api, signal }: LookupDeps): Promise<Match[]> {
  const same: Match[] = []
  for await (const match of api.items('matches.list', { requester: true }, { signal })) {
    if (isSameMatch(match, request)) same.push(match)
  }
  return same
}
