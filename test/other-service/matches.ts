import { type Holdings, isBusy, type Match } from './holdings.ts'
import { pageOf, passes } from './lists.ts'
import { invalid, Refusal } from './refusal.ts'
import { type Answer, type Asked, flag, integer, required } from './request.ts'
import { showJob, showMatch, shownName } from './show.ts'
import type { Ways } from './ways.ts'

const SCOPES =
  'HIGH_SPEED_DATA CABLE VOD_ACTIVE VOD_CAPABLE LINEAR_ADDRESSABLE HIGH_SPEED_INTERNET CUSTOM_1 NONE'.split(' ')
const CALLER = 1001n

export function createMatch(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const request = asked.json()
  const segmentId = required(request, 'segmentId', Number.POSITIVE_INFINITY)
  const segment = holdings.segments.find(({ id }) => id === segmentId)
  if (!segment) throw invalid('there is no such segment')
  if (integer(request, 'partnerId') === undefined && integer(request, 'groupId') === undefined)
    throw invalid('partnerId or groupId is required')
  const { deliveryScopes } = request
  const areScopes = Array.isArray(deliveryScopes) && deliveryScopes.every((scope) => SCOPES.includes(scope))
  if (!areScopes || deliveryScopes.length === 0) throw invalid('deliveryScopes must be scopes')
  for (const name of ['shareSegmentName', 'accessBgIds', 'spi', 'returnUnmatchedBgIds']) flag(request, name)
  const matchIdOf = (jobId: string) =>
    ways.matchId === 'jobId' && ways.jobIds === 'number' ? jobId : holdings.number()
  const job = holdings.start(true, (jobId) => ({ matchId: matchIdOf(jobId) }))
  const segmentName = String(segment.fields.segmentName)
  const match = { id: job.made.matchId ?? job.id, request, segmentName, jobs: [job], shownJobs: [], requestor: CALLER }
  holdings.matches.push(match)
  showJobOf(match, holdings, ways)
  return { status: ways.accepted, body: showJob(job, holdings.now(), ways) }
}

/** The job that a match shows: the one that just started, or another one that ends at the same time. */
function showJobOf(match: Match, holdings: Holdings, ways: Ways): void {
  const job = match.jobs.at(-1)
  if (!job) return
  const shown = ways.matchJobId === 'own' ? { ...job, id: holdings.number() } : job
  holdings.jobs.set(shown.id, shown)
  match.shownJobs.push(shown)
}

export function refreshMatch(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const match = existing(asked, holdings, ways, { status: 400, body: '' })
  if (isBusy(match, holdings.now())) throw new Refusal({ status: 400, body: '' })
  delete match.split
  const job = holdings.start(false, () => ({ matchId: match.id }))
  match.jobs.push(job)
  showJobOf(match, holdings, ways)
  return { status: 202, body: showJob(job, holdings.now(), ways) }
}

export function splitMatch(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const match = existing(asked, holdings, ways, { status: 400, body: '' })
  if (isBusy(match, holdings.now())) throw new Refusal({ status: 400, body: '' })
  const split = asked.json()
  const percentages = ['shaveOffPercent', 'controlHoldoutPercent'].map((name) => integer(split, name))
  if (percentages.every((percentage) => percentage === undefined)) throw invalid('a percentage is required')
  match.split = { ...match.split, ...split }
  const job = holdings.start(false, () => ({ matchId: match.id }))
  match.jobs.push(job)
  showJobOf(match, holdings, ways)
  return { status: 202, body: showJob(job, holdings.now(), ways) }
}

export function getMatch(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const match = existing(asked, holdings, ways, ways.gone)
  if (isHidden(match, ways.madeHiddenMs, holdings)) throw new Refusal(ways.gone)
  return { status: 200, body: shown(match, holdings, ways) }
}

export function listMatches(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const isMine = ({ requestor }: Match) =>
    ways.filters === 'ignored' || asked.query.get('requester') !== 'true' || requestor === CALLER
  const found = holdings.matches
    .filter((match) => !isHidden(match, ways.madeHiddenMs, holdings))
    .filter(({ jobs }) => holdings.now() >= (jobs[0]?.endsAt ?? 0) + ways.listedAfterMs.matches)
    .filter(isMine)
    .filter((match) => passes(asked, ways, 'segmentName', shownName(match, segmentOf(match, holdings), ways)))
    .map((match) => shown(match, holdings, ways))
    .filter(({ status }) => passes(asked, ways, 'status', status))
  return pageOf('matches', found, asked, ways)
}

export function deleteMatch(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  holdings.matches.splice(holdings.matches.indexOf(existing(asked, holdings, ways, ways.gone)), 1)
  holdings.deleted.matches += 1
  return { status: ways.deleted }
}

/** A match exists from the beginning, unless this service shows the results of jobs late. */
function isHidden({ jobs }: Match, hiddenMs: number, holdings: Holdings): boolean {
  return hiddenMs > 0 && holdings.now() < (jobs[0]?.endsAt ?? 0) + hiddenMs
}

function shown(match: Match, holdings: Holdings, ways: Ways): Record<string, unknown> {
  return showMatch(match, segmentOf(match, holdings), holdings.now(), ways)
}

function segmentOf({ request }: Match, holdings: Holdings) {
  return holdings.segments.find(({ id }) => id === request.segmentId)
}

function existing({ values }: Asked, holdings: Holdings, ways: Ways, gone: Ways['gone']): Match {
  const [value = ''] = values
  if (!/^\d+$/.test(value)) throw invalid('a match is named by a number')
  const byId = ways.matchPath === 'jobId' ? undefined : holdings.matches.find(({ id }) => id === value)
  const byJob = ways.matchPath === 'matchId' ? undefined : holdings.matches.find(({ jobs }) => jobs[0]?.id === value)
  const match = byId ?? byJob
  if (!match) throw new Refusal(gone)
  return match
}
