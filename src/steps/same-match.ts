import type { Match } from '../contract/matches.ts'
import type { InputOf } from '../contract/operations.ts'
import type { JsonObject } from '../core/json.ts'
import { shown } from './shown.ts'

/** The fields of a request that distinguish its match from others. */
export type MatchRequest = Pick<InputOf<'matches.create'>, 'segmentId' | 'partnerId' | 'groupId' | 'deliveryScopes'>

/**
 * Whether a match may be the result of a request: same segment, same scopes, and for a partner the same approver.
 * Fields that the service does not show count as equal. The approver of a group match says nothing (decision 137).
 */
export function isSameMatch(match: Match, request: MatchRequest): boolean {
  const { deliveryScope = [] } = match
  const segmentId = shown(match.segmentId)
  const approver = shown(match.matchApprover)
  if (segmentId !== undefined && segmentId !== request.segmentId) return false
  if (approver !== undefined && request.groupId === undefined && approver !== String(request.partnerId)) return false
  return !deliveryScope?.length || haveSameItems(deliveryScope, request.deliveryScopes)
}

/** The counterpart of a request. With a group it is a group match, whatever the partner is (decision 60). */
export function counterpartOf({ groupId, partnerId }: { readonly [Id in 'groupId' | 'partnerId']?: unknown }): string {
  return groupId === undefined ? `partner ${partnerId}` : `group ${groupId}`
}

/** The participant that the service asks about a request; undefined if the request does not name one. */
export function counterpartIn(input: JsonObject): string | undefined {
  return input.partnerId === undefined && input.groupId === undefined ? undefined : counterpartOf(input)
}

/** The match request that an input contains; undefined if it contains none. */
export function matchRequestIn(input: JsonObject): MatchRequest | undefined {
  return isMatchRequest(input) ? input : undefined
}

/** The engine has checked the input against its operation's schema, so two fields are enough to tell. */
function isMatchRequest(input: JsonObject): input is JsonObject & MatchRequest {
  return typeof input.segmentId === 'string' && Array.isArray(input.deliveryScopes)
}

export function haveSameItems(a: readonly string[], b: readonly string[]): boolean {
  return new Set(a).symmetricDifference(new Set(b)).size === 0
}
