import { TERMINAL_MATCH_STATUSES } from '../../contract/enumerations.ts'
import type { Match } from '../../contract/matches.ts'
import type { InputOf } from '../../contract/operations.ts'
import { madeForMatch } from '../made-for.ts'
import { isMadeFor, mayBeMadeFor } from '../ownership.ts'
import { readIfThere } from '../read-if-there.ts'
import { readJob } from '../read-job.ts'
import { counterpartOf, isSameMatch } from '../same-match.ts'
import { shown } from '../shown.ts'
import { idsIn, type LookupDeps, type Reconciler, type Verdict } from './reconciler.ts'
import { verdictOfOwn } from './verdict-of-own.ts'

type Request = InputOf<'matches.create'>

/** Looks for a new match of the same segment and scopes among the caller's requested matches (decision 137). */
export const matchesCreate: Reconciler<'matches.create'> = {
  lookedFor: (request) => `a new match of segment ${request.segmentId} with ${counterpartOf(request)}`,
  async before(request, deps) {
    return { ids: (await sameMatches(request, deps)).map(({ matchId }) => matchId) }
  },
  async look({ request, before, confirmed, key, jobId }, deps) {
    const idsBefore = idsIn(before)
    const decide = (own: readonly Match[]) =>
      decideMatchesCreate(own, { idsBefore, confirmed }, (id) => isJob(id, deps))
    return verdictOfOwn(await sameMatches(request, deps), decide, {
      what: madeForMatch(request),
      listed: ({ matchId, matchJobId }) => ({ id: matchId, job: shown(matchJobId) }),
      isOfOther: (maker) => !isMadeFor(maker, request),
      mayBeOf: mayBeMadeFor,
      ...{ before: idsBefore, confirmed, key, jobId, deps },
    })
  },
  // A service may make the same match twice, so the request is not sent again.
  refusal: () => 'look',
  // As long as what a job made may take to become visible (decision 141).
  visibleWithinMs: 30_000,
}

/** `same`: the matches that fit the request, old and new. */
export async function decideMatchesCreate(
  same: readonly Match[],
  { idsBefore, confirmed }: { idsBefore: readonly string[]; confirmed: boolean },
  isJob: (id: string) => Promise<boolean>,
): Promise<Verdict> {
  const fresh = same.filter(({ matchId }) => !idsBefore.includes(matchId))
  const [match, ...more] = fresh.length === 0 && confirmed ? same.slice(-1) : fresh
  if (!match) return { state: 'notVisible' }
  if (more.length > 0 && !confirmed) {
    return {
      state: 'ambiguous',
      why: `there are ${more.length + 1} of them: ${fresh.map((one) => one.matchId).join(', ')}`,
    }
  }
  const { matchId, matchJobId, status } = more.at(-1) ?? match
  const jobId = shown(matchJobId)
  if (jobId !== undefined) return { state: 'done', answer: { id: jobId, matchId } }
  // A match may (decision 71) but need not (decision 140) have the id of the job that created it.
  if (await isJob(matchId)) return { state: 'done', answer: { id: matchId, matchId } }
  if (!TERMINAL_MATCH_STATUSES.some((terminal) => terminal === status)) return { state: 'inProgress' }
  return { state: 'done', answer: { matchId } }
}

async function isJob(id: string, deps: LookupDeps): Promise<boolean> {
  return (await readJob(id, deps)) !== undefined
}

async function sameMatches(request: Request, deps: LookupDeps): Promise<Match[]> {
  const { api, signal } = deps
  const segmentName = await nameOfSegment(request.segmentId, deps)
  const filter = { requester: true, segmentName: segmentName || undefined }
  const same: Match[] = []
  for await (const match of api.items('matches.list', filter, { signal })) {
    if (isSameMatch(match, request)) same.push(match)
  }
  return same
}

/** Undefined if there is no such segment: the request itself will report that. */
async function nameOfSegment(id: string, { api, signal }: LookupDeps): Promise<string | undefined> {
  return (await readIfThere(() => api.segments.get({ id }, { signal })))?.segmentName
}
