import { invalidField, invalidRequest } from '../api-error.ts'
import type { ServiceCall } from '../call.ts'
import type { Approval } from '../jobs/job.ts'
import type { StoredSegment } from '../storage/segment-store.ts'
import { approvalBy, eligibleMembers, findPartner, groupsOf, offersFor, requestableScopes } from './partnership.ts'

/** The partner or group that a segment is matched with. */
export interface Counterpart {
  /** Null for a group match. */
  readonly partnerId: number | null
  readonly groupId: string | null
  /** The participants whose data is searched for matching people. */
  readonly participants: number[]
  /** The scopes that a request may name. */
  readonly scopes: ReadonlySet<string>
  /** Null for a group, because its members have already agreed to its matches. */
  readonly approval: Approval | null
}

/** Finds the partner or the group of a match request. If both are given, it is a group match (decision 60). */
export function findCounterpart(
  call: ServiceCall,
  input: { partnerId?: number | undefined; groupId?: string | undefined },
  segment: StoredSegment,
): Counterpart {
  if (input.groupId !== undefined) return groupCounterpart(call, input.groupId, input.partnerId, segment)
  const { network, caller } = call
  const partner = input.partnerId === undefined ? undefined : findPartner(network, caller, input.partnerId)
  if (!partner) throw invalidField('partnerId', `there is no partner ${input.partnerId}`)
  if (!offersFor(partner, 'SEGMENT_MATCH', segment.uploadSignal)) {
    throw invalidField('partnerId', `partner ${partner.id} does not offer SEGMENT_MATCH for ${segment.uploadSignal}`)
  }
  return {
    partnerId: partner.id,
    groupId: null,
    participants: [partner.id],
    scopes: requestableScopes([partner]),
    approval: approvalBy(partner, segment),
  }
}

function groupCounterpart(
  { network, caller }: ServiceCall,
  groupId: string,
  partnerId: number | undefined,
  segment: StoredSegment,
): Counterpart {
  const group = groupsOf(network, caller).find((candidate) => candidate.groupId === groupId)
  if (!group) throw invalidField('groupId', `there is no group ${groupId}`)
  if (!group.features.includes('AGGREGATED_MATCH')) {
    throw invalidField('groupId', `group ${groupId} is not for matching (AGGREGATED_MATCH)`)
  }
  if (partnerId !== undefined && !group.groupMembers.includes(partnerId)) {
    throw invalidField('partnerId', `partner ${partnerId} is not in group ${groupId}`)
  }
  const members = eligibleMembers(network, group, { caller, signal: segment.uploadSignal, members: segment.members })
  if (members.length === 0) {
    throw invalidRequest(`nobody in group ${groupId} takes part in matches of this segment on ${segment.uploadSignal}`)
  }
  return {
    partnerId: null,
    groupId,
    participants: members.map((member) => member.id),
    scopes: requestableScopes(members),
    approval: null,
  }
}
