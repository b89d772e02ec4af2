import { type Form, inForm } from './forms.ts'
import type { Activation, Fields, Job, Match, Segment } from './holdings.ts'
import type { Ways } from './ways.ts'

/** An id with the type that the contract documents, or with the other type. */
function id(value: string, documented: 'string' | 'integer', { idTypes }: Ways): string | bigint {
  const isNumber = /^\d+$/.test(value)
  return isNumber && (documented === 'integer') === (idTypes === 'documented') ? BigInt(value) : value
}

/** A text that may be absent. */
function given(name: string, value: unknown, { notGiven }: Ways): Record<string, unknown> {
  if (value !== undefined && value !== null) return { [name]: value }
  return notGiven === 'absent' ? {} : { [name]: notGiven === 'null' ? null : '' }
}

export function showJob(job: Job, now: number, ways: Ways): Record<string, unknown> {
  const { jobStatuses, unnamedReads, changesNamed, matchUnnamed } = ways
  const share = job.endsAt === job.startedAt ? 1 : (now - job.startedAt) / (job.endsAt - job.startedAt)
  const status = share >= 1 ? 'SUCCESS' : jobStatuses[Math.floor(Math.max(0, share) * jobStatuses.length)]
  const { segmentId, matchId, activationId } = job.made
  if (share >= 1) job.readsAfterEnd += 1
  const isNamed = share >= 1 && job.readsAfterEnd > unnamedReads && (job.isCreation || changesNamed)
  return {
    id: id(job.id, 'string', ways),
    status,
    ...(isNamed && segmentId !== undefined && { segmentId: id(segmentId, 'string', ways) }),
    ...(isNamed && !matchUnnamed && matchId !== undefined && { matchId: id(matchId, 'string', ways) }),
    ...(isNamed && activationId !== undefined && { activationId: id(activationId, 'string', ways) }),
    ...(ways.extras && { progress: { percent: Math.round(share * 100) }, queue: 'Q-Ä' }),
  }
}

export function showSegment({ id: segmentId, fields: sent }: Segment, ways: Ways): Record<string, unknown> {
  const fields = inFormOf(sent, ways.keeps.segments)
  const promised = { id: id(segmentId, 'string', ways), segmentName: fields.segmentName }
  if (ways.segmentFields === 'promised') return promised
  const texts = ['dataOwner', 'category', 'subCategory', 'description'].map((name) => given(name, fields[name], ways))
  const numbers = ['cpm', 'uploadDateWithSignals']
    .filter((name) => fields[name] !== undefined || ways.notGiven !== 'absent')
    .map((name) => ({ [name]: fields[name] ?? null }))
  return Object.assign(
    {
      ...promised,
      participantSegmentId: fields.participantSegmentId,
      segmentFileName: fields.segmentFileName,
      uploadSignal: fields.uploadSignal,
      resultContent: fields.resultContent,
      providerId: fields.providerId ?? null,
      spi: fields.spi ?? false,
      ...(ways.extras && { owner: { id: 1001 }, labels: [] }),
    },
    ...texts,
    ...numbers,
  )
}

const GROUP_MEMBER = 2001n
const CALLER = 1001n

export function showMatch(
  match: Match,
  segment: Segment | undefined,
  now: number,
  ways: Ways,
): Record<string, unknown> {
  const { request, jobs, shownJobs } = match
  const last = jobs.at(-1)
  const first = jobs[0]
  const isAtWork = last !== undefined && now < last.endsAt
  const share = isAtWork ? (now - last.startedAt) / (last.endsAt - last.startedAt) : 0
  const isMatched = first !== undefined && now >= first.endsAt
  const shown = ways.matchJobId === 'creating' ? shownJobs[0] : shownJobs.at(-1)
  const { partnerId, groupId } = request
  const approvers = { group: groupId, member: GROUP_MEMBER, caller: CALLER, null: null, absent: undefined }
  const partner = ways.partnerApprover === 'partner' ? partnerId : null
  const approver = groupId === undefined ? partner : approvers[ways.approver]
  return {
    matchId: id(match.id, 'integer', ways),
    segmentId: typeof request.segmentId === 'string' ? id(request.segmentId, 'string', ways) : null,
    segmentName: shownName(match, segment, ways),
    ...given('participantSegmentId', undefined, ways),
    spi: request.spi ?? false,
    status: isAtWork ? ways.recordStatuses[Math.floor(share * ways.recordStatuses.length)] : ways.recordEnd,
    matchRequestor: match.requestor,
    ...(approver !== undefined && { matchApprover: approver }),
    matchSignal: ways.extras ? 'HEM_SHA256' : 'EMAIL',
    matchCount: isMatched ? (segment?.keys.size ?? 0) : 0,
    shareBgIds: request.accessBgIds ?? true,
    shareSegmentName: request.shareSegmentName ?? true,
    ...given('segmentOwner', undefined, ways),
    deliveryScope: ways.scopesShown ? request.deliveryScopes : [],
    ...given('description', undefined, ways),
    files: [],
    ...(shown && { matchJobId: id(shown.id, 'string', ways) }),
    ...(ways.extras && { groupSize: 3, lineage: [{ kind: 'union' }] }),
  }
}

/** The name of its segment. Lists filter by it. */
export function shownName(match: Match, segment: Segment | undefined, { keeps, matchNames }: Ways): unknown {
  const names = {
    atCreation: match.segmentName,
    current: segment?.fields.segmentName,
    stale: segment?.namesBefore[0] ?? segment?.fields.segmentName,
  }
  return inForm(names[matchNames] ?? match.segmentName, keeps.segments)
}

const ENUMERATED = ['uploadSignal', 'resultContent']

function inFormOf(fields: Fields, form: Form): Fields {
  const shown = (name: string, value: unknown) => (ENUMERATED.includes(name) ? value : inForm(value, form))
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(name, value)]))
}

export function showActivation(
  { id: activationId, request: sent, myRole }: Activation,
  ways: Ways,
): Record<string, unknown> {
  const request = inFormOf(sent, ways.keeps.activations)
  return {
    myRole,
    ActivationId: id(activationId, 'string', ways),
    ActivationName: request.activationName,
    Status: ways.activationStatus,
    spi: false,
    deliveryScopes: [],
    ...given('campaign', request.campaignName, ways),
    ...given('agency', request.agency, ways),
    ...given('brand', request.brand, ways),
    ...(ways.extras && { Region: 'EMEA', integrations: [{ id: 1 }] }),
  }
}
