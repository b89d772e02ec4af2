import type { Match } from '../../contract/matches.ts'
import { invalidField, invalidParameter, invalidRequest, notFound, Refusal } from '../api-error.ts'
import type { OperationHandlers, OperationsOf, ServiceCall } from '../call.ts'
import type { Split } from '../jobs/job.ts'
import type { Participant } from '../network/network.ts'
import type { StoredMatch } from '../storage/match-store.ts'
import { pageWith } from '../storage/page.ts'
import { findCounterpart } from './find-counterpart.ts'
import { insertJob, startJob } from './start-job.ts'

export const matchHandlers: OperationHandlers<OperationsOf<'matches'>> = {
  'matches.create'(call, input) {
    const { store, caller } = call
    const segment = store.segments.findVisible(caller.id, input.segmentId)
    if (!segment?.setFile) throw invalidField('segmentId', `there is no segment ${input.segmentId}`)
    const counterpart = findCounterpart(call, input, segment)
    const scopes = checkedScopes(input.deliveryScopes, counterpart.scopes)
    const match = {
      requester: caller.id,
      approver: counterpart.partnerId,
      groupId: counterpart.groupId,
      segmentId: segment.id,
      deliveryScopes: scopes,
      shareSegmentName: input.shareSegmentName ?? true,
      accessBgIds: input.accessBgIds ?? true,
      spi: input.spi ?? segment.spi,
      returnUnmatchedBgIds: input.returnUnmatchedBgIds ?? false,
    }
    if (store.matches.isBeingMade(match)) throw invalidRequest('the same match is already being made')
    const request = {
      kind: 'matches.create',
      approval: counterpart.approval,
      group: counterpart.groupId !== null,
      setFile: segment.setFile,
      uploadSignal: segment.uploadSignal,
      resultContent: segment.resultContent,
      participants: counterpart.participants,
      scopes,
      split: null,
    } as const
    return startJob(call, () => {
      const id = insertJob(call, { segmentId: segment.id, request })
      store.matches.insert({ ...match, id, status: counterpart.groupId === null ? 'SUBMITTED' : 'CHILD_SUBMITTED' })
      return id
    })
  },

  'matches.testControl'(call, { matchId, shaveOffPercent, controlHoldoutPercent }) {
    const match = changeableMatch(call, matchId)
    // Fields that are not given stay unchanged (decision 149).
    const split = {
      shaveOffPercent: shaveOffPercent ?? match.shaveOffPercent ?? 0,
      controlHoldoutPercent: controlHoldoutPercent ?? match.controlHoldoutPercent ?? 0,
    }
    const request = { kind: 'matches.testControl', setFile: match.setFile, split } as const
    return startUpdate(call, match, request)
  },

  'matches.get'({ store, caller }, { matchId }) {
    const match = store.matches.findVisible(caller.id, matchId)
    if (!match) throw notFound('match', matchId)
    return matchView(match, caller)
  },

  'matches.delete'({ store, blobs, caller }, { matchId }) {
    const match = store.matches.findVisible(caller.id, matchId)
    if (match?.requester !== caller.id) throw notFound('match', matchId)
    const [job] = store.jobs.activeOnMatch(matchId)
    if (job) throw invalidParameter('matchId', `job ${job.id} is still working with this match`)
    store.transaction(() => store.matches.delete(matchId))
    blobs.release({ sets: [match.setFile, match.splitFile] })
    return undefined
  },

  'matches.list'({ store, caller }, input) {
    // Only `true` restricts the list. The contract gives `false` no meaning.
    const filter = { ...input, requester: input.requester === true }
    const { items, ...rest } = pageWith(input, (range) => store.matches.list(caller.id, filter, range))
    return { matches: items.map((match) => matchView(match, caller)), ...rest }
  },

  'matches.refresh'(call, { matchId }) {
    const match = changeableMatch(call, matchId)
    const segment = call.store.segments.findVisible(call.caller.id, match.segmentId)
    if (!segment?.setFile) throw invalidRequest(`segment ${match.segmentId} of match ${matchId} no longer exists`)
    const counterpart = findCounterpart(
      call,
      match.groupId === null ? { partnerId: match.approver ?? undefined } : { groupId: match.groupId },
      segment,
    )
    return startUpdate(call, match, {
      kind: 'matches.refresh',
      approval: null,
      group: match.groupId !== null,
      setFile: segment.setFile,
      uploadSignal: segment.uploadSignal,
      resultContent: segment.resultContent,
      participants: counterpart.participants,
      scopes: [...match.deliveryScopes],
      split: splitOf(match),
    })
  },
}

/**
 * Finds a match to change. Test-control and refresh answer 400 if the match does not exist (decision 74) or if a job is
 * working on it (decision 82).
 */
function changeableMatch({ store, caller }: ServiceCall, matchId: string): StoredMatch & { setFile: string } {
  const match = store.matches.findVisible(caller.id, matchId)
  if (match?.requester !== caller.id) throw invalidParameter('matchId', `there is no match ${matchId}`)
  // An activation that is waiting for approval already has everything that it needs from the match.
  const job = store.jobs.activeOnMatch(matchId).find(({ request }) => request.kind !== 'activations.create')
  if (job) throw invalidParameter('matchId', `job ${job.id} is still working on this match`)
  const { setFile } = match
  if (setFile === null) throw invalidParameter('matchId', `match ${matchId} has no result: it is ${match.status}`)
  return { ...match, setFile }
}

function startUpdate(call: ServiceCall, match: StoredMatch, request: Parameters<typeof insertJob>[1]['request']) {
  return startJob(call, () => {
    const id = insertJob(call, { segmentId: match.segmentId, matchId: match.id, request })
    call.store.matches.setStatus(match.id, 'UPDATE_SUBMITTED')
    return id
  })
}

/** Checks scopes (decision 25) and returns them without duplicates. */
function checkedScopes(requested: readonly string[], known: ReadonlySet<string>): string[] {
  const items = requested.flatMap((scope, index) =>
    known.has(scope)
      ? []
      : [{ pointer: `/deliveryScopes/${index}`, message: `${JSON.stringify(scope)} is not a delivery scope here` }],
  )
  if (items.length > 0) throw new Refusal('invalid-request', 'deliveryScopes: not all are known', { items })
  return [...new Set(requested)]
}

function splitOf({ shaveOffPercent, controlHoldoutPercent }: StoredMatch): Split | null {
  if (shaveOffPercent === null || controlHoldoutPercent === null) return null
  return { shaveOffPercent, controlHoldoutPercent }
}

/**
 * A match as `caller` sees it. If the segment's name was not shared, the approver does not see its name, its data owner
 * or its description (decision 92).
 */
function matchView(match: StoredMatch, caller: Participant): Match {
  const { segment } = match
  const isRequester = match.requester === caller.id
  const named = isRequester || match.shareSegmentName
  return {
    matchId: match.id,
    segmentId: match.segmentId,
    segmentName: named ? segment.segmentName : '',
    participantSegmentId: segment.owner === caller.id ? segment.participantSegmentId : null,
    spi: match.spi,
    status: match.status,
    matchRequestor: match.requester,
    // A group match has no approver (decision 137).
    matchApprover: match.approver === null ? null : String(match.approver),
    matchSignal: segment.uploadSignal,
    matchCount: match.status === 'FINISHED' ? match.matchCount : 0,
    shareBgIds: match.accessBgIds,
    shareSegmentName: match.shareSegmentName,
    segmentOwner: named ? segment.dataOwner : null,
    deliveryScope: [...match.deliveryScopes],
    description: named ? (segment.description ?? '') : '',
    files: [],
    matchJobId: match.matchJobId,
    returnUnmatchedBgIds: match.returnUnmatchedBgIds,
  }
}
