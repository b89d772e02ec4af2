import { DELIVERY_SCOPES, type Signal } from '../../contract/enumerations.ts'
import type { Approval } from '../jobs/job.ts'
import type { Network, NetworkGroup, Participant } from '../network/network.ts'

type Feature = Participant['features'][number]['type']

/** The participants that `caller` works with. Both sides must agree. */
export function partnersOf(network: Network, caller: Participant): Participant[] {
  return network.participants.filter(
    (other) => other.id !== caller.id && worksWith(caller, other.id) && worksWith(other, caller.id),
  )
}

export function findPartner(network: Network, caller: Participant, id: number): Participant | undefined {
  return partnersOf(network, caller).find((partner) => partner.id === id)
}

/** The groups that `caller` may use. */
export function groupsOf(network: Network, caller: Participant): NetworkGroup[] {
  return network.groups.filter((group) => group.groupAccess.includes(caller.id))
}

/**
 * Whether a participant offers a feature. One entry must have both the type and the signal (decision 120). Without a
 * signal, any entry of the type is enough.
 */
export function offers(participant: Participant, type: Feature, signal?: Signal): boolean {
  return participant.features.some(
    (feature) =>
      feature.type === type && (signal === undefined || feature.signals.some((offered) => offered === signal)),
  )
}

/**
 * Whether a participant offers a feature for a segment's signal. No feature entry can name ZIPCODE (decision 23), so
 * for ZIPCODE only the type counts.
 */
export function offersFor(participant: Participant, type: Feature, signal: Signal): boolean {
  return offers(participant, type, signal === 'ZIPCODE' ? undefined : signal)
}

/** The members of a group that match on the signal, without the requester itself. */
export function eligibleMembers(
  network: Network,
  group: NetworkGroup,
  { caller, signal, members }: { caller: Participant; signal: Signal; members: number },
): Participant[] {
  return network.participants.filter(
    (participant) =>
      participant.id !== caller.id &&
      group.groupMembers.includes(participant.id) &&
      offersFor(participant, 'SEGMENT_MATCH', signal) &&
      members >= participant.minimumSegmentSize,
  )
}

/** The scopes that a match with these partners may request: the known scopes, and the partners' own (decision 25). */
export function requestableScopes(partners: readonly Participant[]): Set<string> {
  const own = partners.flatMap((partner) => partner.customDeliveryScopesDetail ?? []).map((scope) => scope.value)
  return new Set([...DELIVERY_SCOPES.filter((scope) => !scope.startsWith('CUSTOM_')), ...own])
}

/** How a partner will answer a request about a segment. It rejects a segment below its minimum size. */
export function approvalBy(partner: Participant, segment: { members: number }): Approval {
  return segment.members < partner.minimumSegmentSize ? 'reject' : partner.approval
}

function worksWith(participant: Participant, other: number): boolean {
  return participant.partners === undefined || participant.partners.includes(other)
}
