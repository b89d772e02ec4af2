import type { Job } from '../contract/job.ts'
import type { Match } from '../contract/matches.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { StepContext } from '../core/engine.ts'
import type { PlanDeps } from './define-step.ts'
import { counterpartOfMatch, type MatchMemory } from './match-memory.ts'
import { hasFailed } from './match-rest.ts'
import { readIfThere } from './read-if-there.ts'
import { hasEnded, readJob } from './read-job.ts'
import { readMadeMatch } from './read-made-match.ts'
import { type NamedMatch, readListed, readMatch } from './read-match.ts'
import { counterpartOf, isSameMatch, type MatchRequest } from './same-match.ts'
import { shown } from './shown.ts'
import type { LookupDeps } from './writes/reconciler.ts'

export type FoundMatch =
  | { readonly state: 'none' }
  | ({ readonly state: 'found' } & NamedMatch)
  /** A job of an earlier run is still running. */
  | { readonly state: 'busy'; readonly jobId: string }
  /**
   * Only a person can decide. `why` tells them the reason; `matchId` is the match that a yes takes, if there is one.
   */
  | { readonly state: 'ambiguous'; readonly why: string; readonly matchId?: string }

type FindDeps = Pick<PlanDeps, 'stepMemory' | 'profile'> & { readonly clock: SteadyClock } & LookupDeps

/**
 * Finds the match of a step: first the remembered match by its id, then the match of a remembered job. If nothing is
 * remembered, or it is gone, searches the list (decisions 137 and 138).
 */
export async function findOwnMatch(
  input: MatchRequest,
  memory: MatchMemory,
  decision: StepContext['decision'],
  deps: FindDeps,
): Promise<FoundMatch> {
  const { jobId } = memory
  const job = jobId === undefined ? undefined : await readJob(jobId, deps)
  if (job && jobId !== undefined && !hasEnded(job)) return { state: 'busy', jobId }
  const own = await readRemembered(memory, input, deps)
  const made = own || memory.matchId !== undefined || !job ? undefined : await madeBy(job, input, deps)
  if (made?.state === 'notVisible' && decision !== 'again') {
    return { state: 'ambiguous', why: `job ${jobId} made match ${made.matchId}, which does not show` }
  }
  const known = own ?? (made?.state === 'found' ? made : undefined)
  if (!known) return chosen(await candidates(input, deps), input, decision)
  const { match, shownId } = known
  const isNothing = match.status === 'FAILED' || match.status === 'REJECTED'
  return isNothing ? { state: 'none' } : { state: 'found', match, shownId }
}

/** Reads by the id that paths took, and by the shown id before the match counts as gone (decision 71). */
async function readRemembered(
  { matchId, shownId }: MatchMemory,
  input: MatchRequest,
  deps: FindDeps,
): Promise<NamedMatch | undefined> {
  for (const id of new Set([matchId, shownId])) {
    const found = id === undefined ? undefined : await readMatch(id, deps)
    if (!found) continue
    // The number of this match's job may belong to another match.
    const isShown = shownId === undefined || found.shownId === shownId
    if (isShown && (shown(found.match.segmentId) ?? input.segmentId) === input.segmentId) return found
  }
  return undefined
}

/** The match that an earlier run's job made; it may become visible some time later (decision 141). */
async function madeBy(
  { id, status, matchId }: Job,
  input: MatchRequest,
  deps: FindDeps,
): Promise<{ state: 'none' } | { state: 'notVisible'; matchId: string } | ({ state: 'found' } & NamedMatch)> {
  if (status !== 'SUCCESS' && status !== 'PARTIAL_SUCCESS') return { state: 'none' }
  if (matchId === undefined) {
    // The job may have the same number as its match (decisions 71 and 139).
    const found = await readMatch(id, deps)
    return found && isSameMatch(found.match, input) ? { state: 'found', ...found } : { state: 'none' }
  }
  const made = await readIfThere(() => readMadeMatch({ matchId, jobId: id }, input, deps))
  return made ? { state: 'found', ...made } : { state: 'notVisible', matchId }
}

interface Candidates {
  /** With the wanted partner or group. */
  readonly sure: readonly NamedMatch[]
  /** Possibly with the wanted partner or group; the service does not show enough to tell. */
  readonly possible: readonly NamedMatch[]
}

/** Matches of the segment and scopes that did not fail and are not known to be with another partner or group. */
async function candidates(input: MatchRequest, deps: FindDeps): Promise<Candidates> {
  const { api, signal } = deps
  const wanted = counterpartOf(input)
  const sure: NamedMatch[] = []
  const possible: NamedMatch[] = []
  // Not filtered by segment name: a match may keep the name that the segment had when the match was made.
  for await (const match of api.items('matches.list', { requester: true }, { signal })) {
    if (!isSameMatch(match, input) || (await hasFailed(match, deps))) continue
    const known = await counterpartOfMatch(match.matchId, deps)
    const fit = known === undefined ? await fitOf(match, input, deps) : known === wanted ? 'sure' : 'none'
    if (fit === 'none') continue
    const fitting = await readListed(match, deps)
    if (fit === 'sure') sure.push(fitting)
    else possible.push(fitting)
  }
  return { sure, possible }
}

/**
 * Whether an unremembered match is with the partner or group of a request. A group match may show null, the group, a
 * member or the requester as its approver; a partner match shows the partner or nothing (decision 137).
 */
async function fitOf(
  { matchApprover, matchRequestor }: Match,
  { groupId }: MatchRequest,
  { api, signal }: LookupDeps,
): Promise<'sure' | 'possible' | 'none'> {
  const approver = shown(matchApprover)
  if (groupId === undefined) return approver === undefined ? 'possible' : 'sure'
  if (approver === undefined || approver === groupId) return 'sure'
  if (approver === String(matchRequestor)) return 'possible'
  const group = await readIfThere(() => api.groups.get({ id: groupId }, { signal }))
  return group?.groupMembers && !group.groupMembers.map(String).includes(approver) ? 'none' : 'possible'
}

/** With two candidates a person decides: `done` takes the newest, `again` makes another one. */
function chosen({ sure, possible }: Candidates, input: MatchRequest, decision: StepContext['decision']): FoundMatch {
  const open = sure.length > 0 ? sure : possible
  const newest = open.at(-1)
  if (!newest) return { state: 'none' }
  if (open.length === 1 || decision === 'done') return { state: 'found', ...newest }
  if (decision === 'again') return { state: 'none' }
  const ids = open.map(({ match }) => match.matchId).join(', ')
  const why = `matches ${ids} of segment ${input.segmentId} may all be the one with ${counterpartOf(input)}, and none is remembered`
  return { state: 'ambiguous', why, matchId: newest.match.matchId }
}
