import type { Match } from '../contract/matches.ts'
import type { InputOf } from '../contract/operations.ts'

/**
 * Whether a match is of the same segment with the same approver and scopes as a request; what the service does not show
 * counts as the same. With a group it is a group match, whoever the partner is (decision 60).
 */
export function isSameMatch(match: Match, request: InputOf<'matches.create'>): boolean {
  const { segmentId, matchApprover, deliveryScope = [] } = match
  const approver = request.groupId ?? String(request.partnerId)
  if (segmentId !== undefined && segmentId !== request.segmentId) return false
  if (matchApprover !== undefined && matchApprover !== approver) return false
  return deliveryScope.length === 0 || haveSameItems(deliveryScope, request.deliveryScopes)
}

function haveSameItems(a: readonly string[], b: readonly string[]): boolean {
  return new Set(a).symmetricDifference(new Set(b)).size === 0
}
