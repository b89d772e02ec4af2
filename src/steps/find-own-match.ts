import type { Job } from '../contract/job.ts'
import type { Match } from '../contract/matches.ts'
import type { StepContext } from '../core/engine.ts'
import type { MadeThing } from '../state/made-things.ts'
import type { StepPlanDeps } from './define-step.ts'
import { madeForMatch } from './made-for.ts'
import { ifAbsent } from './made-other.ts'
import { makersOf, whyUnnamed } from './makers-of.ts'
import type { MatchMemory } from './match-memory.ts'
import { hasFailed } from './match-rest.ts'
import { approverOf, type Fit, fitOfMatch, isMadeFor, mayBeMadeFor } from './ownership.ts'
import { readDirectory } from './read-directory.ts'
import { hasEnded, readJob } from './read-job.ts'
import { readByEither, readMadeMatch, readMatchOfJob } from './read-made-match.ts'
import { describeMatch, type NamedMatch, readListed, readMatch } from './read-match.ts'
import { counterpartOf, isSameMatch, type MatchRequest } from './same-match.ts'
import { shown } from './shown.ts'
import { unlisted } from './unlisted.ts'
import type { LookupDeps } from './writes/reconciler.ts'

export type FoundMatch =
  | { readonly state: 'none' }
  | ({ readonly state: 'found' } & NamedMatch)
  /** A job of an earlier run is still running. */
  | { readonly state: 'busy'; readonly jobId: string }
  /**
   * Only a person can decide. `why` gives the reason; `matchId` is the match, if any, that is taken if the answer is
   * yes.
   */
  | { readonly state: 'ambiguous'; readonly why: string; readonly matchId?: string }

type FindDeps = Pick<StepPlanDeps, 'made' | 'clock'> & LookupDeps

/**
 * Finds the match of a step: first the remembered match by its id, then the match of a remembered job. If nothing is
 * remembered, or the match is gone, searches the list (decisions 137 and 138).
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
    return { state: 'ambiguous', why: `job ${jobId} made match ${made.matchId}, but the service does not show it` }
  }
  const known = own ?? (made?.state === 'found' ? made : undefined)
  if (!known) return chosen(await candidates(input, deps), input, decision)
  const { match, shownId } = known
  const isNothing = match.status === 'FAILED' || match.status === 'REJECTED'
  if (isNothing) return { state: 'none' }
  const other = await otherIn(known, memory, input, deps)
  if (!other || (decision === 'done' && other.matchId !== undefined)) return { state: 'found', match, shownId }
  return decision === 'again' ? { state: 'none' } : other
}

/**
 * The question to ask if the match with the remembered number has a different counterpart than the step wants. A
 * service that was restored, or that restarts its numbering, gives the number to another match. An approver that is not
 * shown proves nothing.
 */
async function otherIn(
  { match, shownId }: NamedMatch,
  memory: MatchMemory,
  input: MatchRequest,
  { made }: FindDeps,
): Promise<Extract<FoundMatch, { state: 'ambiguous' }> | undefined> {
  const wanted = `match ${shownId} is remembered as the one with ${counterpartOf(input)}`
  const maker = await made.byId('match', shownId)
  // A match that was made for another counterpart is never taken (decision 153).
  if (maker && typeof maker.about.counterpart === 'string' && !isMadeFor(maker, input))
    return { state: 'ambiguous', why: `${wanted}, but was made for ${maker.about.counterpart}` }
  const approver = approverOf(match)
  const known = memory.approver ?? (input.groupId === undefined ? String(input.partnerId) : approver)
  if (approver === undefined || approver === known) return undefined
  const why = `${wanted}, but shows approver ${approver}, not ${known}`
  return { state: 'ambiguous', why, matchId: match.matchId }
}

/**
 * Reads the match by the id that paths used, and also by the shown id before the match counts as gone (decision 71).
 */
async function readRemembered(
  { matchId, shownId }: MatchMemory,
  input: MatchRequest,
  deps: FindDeps,
): Promise<NamedMatch | undefined> {
  for (const id of new Set([matchId, shownId])) {
    const found = id === undefined ? undefined : await readMatch(id, deps)
    if (!found) continue
    // The job of this match may have the same number as another match.
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
    const found = await readMatchOfJob(id, input, deps)
    return found ? { state: 'found', ...found } : { state: 'none' }
  }
  const made = await readMadeMatch({ matchId, jobId: id }, input, deps).catch(ifAbsent)
  return made ? { state: 'found', ...made } : { state: 'notVisible', matchId }
}

interface Candidate extends NamedMatch {
  readonly fit: Exclude<Fit, 'none'>
}

interface Candidates {
  readonly found: readonly Candidate[]
  /**
   * A running job. If no match is found, it makes the wanted match; otherwise it makes another match, which may be
   * among those found.
   */
  readonly underWay: string | undefined
  /**
   * The entry of another step that asked for the wanted match, if none is found and nobody knows whether it was made.
   */
  readonly askedBy?: MadeThing | undefined
}

/** Matches of the segment and scopes that have not failed and are not known to be with another partner or group. */
async function candidates(input: MatchRequest, deps: FindDeps): Promise<Candidates> {
  const { api, signal } = deps
  const same: Match[] = []
  // Not filtered by segment name, because a match may keep the name that the segment had when the match was made.
  for await (const match of api.items('matches.list', { requester: true }, { signal })) {
    if (isSameMatch(match, input) && !(await hasFailed(match, deps))) same.push(match)
  }
  const listed = same.map(({ matchId, matchJobId }) => ({ id: matchId, job: shown(matchJobId) }))
  const makers = await makersOf(listed, madeForMatch(input), deps)
  const unknown = same.filter(({ matchId }) => makers.of(matchId) === undefined)
  const directory = await readDirectory(unknown, deps)
  const found: Candidate[] = []
  const asked = makers.unnamed.filter((thing) => !isMadeFor(thing, input))
  for (const match of same) {
    const maker = makers.of(match.matchId)
    const fit = fitOfMatch(match, input, { maker, directory })
    const mayBeOther = maker === undefined && asked.some((thing) => mayBeMadeFor(match, thing))
    if (fit !== 'none') found.push({ ...(await readListed(match, deps)), fit: mayBeOther ? 'possible' : fit })
  }
  if (found.some(({ fit }) => fit === 'sure')) return { found, underWay: undefined }
  return withHidden({ found, underWay: makers.underWay[0]?.job }, listed, input, deps)
}

/** None of the matches found is known to be the wanted one. This state may have made one that no list shows yet. */
async function withHidden(
  seen: Candidates,
  listed: readonly { id: string }[],
  input: MatchRequest,
  deps: FindDeps,
): Promise<Candidates> {
  const hidden = await unlisted(
    { ...madeForMatch(input), listed: listed.map(({ id }) => id) },
    (thing) => isMadeFor(thing, input),
    (known) => unfailed(known, input, deps),
    deps,
  )
  if (hidden.state === 'there') return { found: [{ ...hidden.thing, fit: 'sure' }], underWay: undefined }
  if (seen.found.length > 0) return seen
  return {
    found: [],
    underWay: hidden.state === 'underWay' ? hidden.jobId : undefined,
    askedBy: hidden.state === 'unknown' ? hidden.maker : undefined,
  }
}

/** A match that this state made; undefined if it failed. */
async function unfailed(
  { id: matchId, maker: { job: jobId } }: { id: string; maker: MadeThing },
  input: MatchRequest,
  deps: FindDeps,
): Promise<NamedMatch | undefined> {
  const made = await readByEither({ matchId, jobId }, input, deps)
  return (await hasFailed(made.match, deps)) ? undefined : made
}

/**
 * Takes only a proven match (decision 153). A person decides about the others: `done` takes the newest, `again` makes
 * another.
 */
function chosen(
  { found, underWay, askedBy }: Candidates,
  input: MatchRequest,
  decision: StepContext['decision'],
): FoundMatch {
  const sure = found.filter(({ fit }) => fit === 'sure')
  const open = sure.length > 0 ? sure : found
  const newest = open.at(-1)
  if (!newest && underWay !== undefined) return { state: 'busy', jobId: underWay }
  if (!newest)
    return askedBy && decision !== 'again' ? { state: 'ambiguous', why: whyUnnamed(askedBy) } : { state: 'none' }
  if (sure.length === 1 || decision === 'done') return { state: 'found', match: newest.match, shownId: newest.shownId }
  if (decision === 'again') return { state: 'none' }
  if (sure.length === 0 && underWay !== undefined) return { state: 'busy', jobId: underWay }
  const them = open.map(describeMatch).join('; ')
  const wanted = counterpartOf(input)
  const why =
    open.length === 1
      ? `it is not known whom this match of segment ${input.segmentId} is with: ${them}; the step wants ${wanted}`
      : `each of these matches of segment ${input.segmentId} may be the one with ${wanted}, and none is remembered: ${them}`
  return { state: 'ambiguous', why, matchId: newest.match.matchId }
}
