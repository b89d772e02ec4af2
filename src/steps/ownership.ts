import type { Group } from '../contract/groups.ts'
import type { Match } from '../contract/matches.ts'
import type { MadeThing } from '../state/made-things.ts'
import { counterpartOf, haveSameItems, isSameMatch, type MatchRequest } from './same-match.ts'
import { shown } from './shown.ts'

/** Whether a thing is the one that a step asks for: proven, possible, or disproved. */
export type Fit = 'sure' | 'possible' | 'none'

/** The groups and partners that the caller sees; undefined if they cannot be read. */
export interface Directory {
  readonly groups: readonly Pick<Group, 'groupId' | 'groupMembers' | 'features'>[] | undefined
  readonly partnerIds: readonly string[] | undefined
}

/**
 * Whether a match of the wanted segment and scopes is with the wanted partner or group (decisions 137 and 153). `maker`
 * is what this state knows about it. Without it, only the approver can show this. The approver may be the partner, the
 * group, any member of the group or the requester, or may not be shown.
 */
export function fitOfMatch(
  match: Pick<Match, 'matchApprover' | 'matchRequestor'>,
  wanted: MatchRequest,
  { maker, directory }: { maker: MadeThing | undefined; directory: Directory },
): Fit {
  if (maker && typeof maker.about.counterpart === 'string') return isMadeFor(maker, wanted) ? 'sure' : 'none'
  const approver = approverOf(match)
  const { groups, partnerIds } = directory
  const { groupId, partnerId } = wanted
  // A partner that has the segment can also match it, and a service may list that match. The caller is not among its
  // own partners.
  const requestor = String(match.matchRequestor)
  if (partnerId !== undefined && requestor === String(partnerId)) return 'none'
  if (partnerIds?.includes(requestor)) return 'possible'
  if (approver === undefined) return 'possible'
  if (groupId === undefined) {
    if (approver !== String(partnerId)) return 'none'
    return groups && !groups.some((group) => canBeMatched(group) && mayHaveMember(group, approver))
      ? 'sure'
      : 'possible'
  }
  if (approver === groupId) return partnerIds && !partnerIds.includes(approver) ? 'sure' : 'possible'
  const group = groups?.find((one) => one.groupId === groupId)
  return group && !mayHaveMember(group, approver) ? 'none' : 'possible'
}

/** The approver that a match shows; undefined if that is the requester, which proves nothing. */
export function approverOf({
  matchApprover,
  matchRequestor,
}: { readonly [Id in Shown]?: unknown }): string | undefined {
  const approver = typeof matchApprover === 'string' ? shown(matchApprover) : undefined
  return approver === String(matchRequestor) ? undefined : approver
}

type Shown = 'matchApprover' | 'matchRequestor'

/** Whether a match was made for the wanted partner or group and the wanted scopes, as far as is known. */
export function isMadeFor({ about: { counterpart, deliveryScopes } }: MadeThing, wanted: MatchRequest): boolean {
  if (counterpart !== counterpartOf(wanted)) return false
  const scopes = Array.isArray(deliveryScopes) ? deliveryScopes.map(String) : wanted.deliveryScopes
  return haveSameItems(scopes, wanted.deliveryScopes)
}

/** Whether a listed match, by what it shows, may be the one made for an entry. */
export function mayBeMadeFor(match: Match, { about }: MadeThing): boolean {
  const { segmentId, counterpart, deliveryScopes } = about
  const [, partner] = /^partner (\d+)$/.exec(String(counterpart)) ?? []
  const scopes = Array.isArray(deliveryScopes) ? deliveryScopes.map(String) : (match.deliveryScope ?? [])
  const request = { segmentId: String(segmentId), deliveryScopes: scopes }
  // The approver of a group match proves nothing.
  return isSameMatch(match, {
    ...request,
    ...(partner === undefined ? { groupId: '' } : { partnerId: Number(partner) }),
  })
}

/** A group can be matched if it has the feature AGGREGATED_MATCH, or if it shows no features (decision 119). */
function canBeMatched({ features }: Pick<Group, 'features'>): boolean {
  return !features?.length || features.includes('AGGREGATED_MATCH')
}

function mayHaveMember({ groupMembers }: Pick<Group, 'groupMembers'>, participant: string): boolean {
  return !groupMembers || groupMembers.map(String).includes(participant)
}

/** The segment and match of an activation; null and undefined if unknown. */
export interface ActivationTarget {
  readonly segmentId: string
  readonly matchId?: string | null
  /** The job that identifies the match in the request. If the match is unknown, the same job means the same match. */
  readonly matchJobId?: string | undefined
}

/**
 * Whether an activation with the wanted name belongs to the wanted segment and match (decision 153). `maker` is what
 * this state knows about it; the service shows neither.
 */
export function fitOfActivation(maker: ActivationTarget | undefined, wanted: ActivationTarget): Fit {
  if (!maker) return 'possible'
  if (maker.segmentId !== wanted.segmentId) return 'none'
  if (maker.matchId && wanted.matchId) return maker.matchId === wanted.matchId ? 'sure' : 'none'
  const isOtherJob = maker.matchJobId !== undefined && maker.matchJobId !== wanted.matchJobId
  return isOtherJob ? 'possible' : 'sure'
}

/** The target in an entry; undefined for an entry of another kind. */
export function targetIn({ about }: MadeThing): ActivationTarget | undefined {
  const { segmentId, matchId, matchJobId } = about
  if (typeof segmentId !== 'string') return undefined
  return {
    segmentId,
    matchId: typeof matchId === 'string' ? matchId : null,
    matchJobId: typeof matchJobId === 'string' ? matchJobId : undefined,
  }
}
