import type { InputOf, OperationId } from '../contract/operations.ts'
import type { JsonObject } from '../core/json.ts'
import type { MadeThing } from '../state/made-things.ts'
import type { ActivationRequest } from './same-activation.ts'
import { counterpartOf, type MatchRequest, matchRequestIn } from './same-match.ts'

/** A resource that was made or found: its kind, its name for look-ups, and parts of the request that asked for it. */
export type MadeFor = Pick<MadeThing, 'kind' | 'name' | 'about'>

/** What a request makes; undefined for a request that makes nothing. */
export function madeFor(operation: OperationId, input: JsonObject): MadeFor | undefined {
  // The engine has checked the input against the schema of its operation.
  if (operation === 'segments.create') return madeForSegment(input as InputOf<'segments.create'>)
  if (operation === 'activations.create') return madeForActivation(input as InputOf<'activations.create'>)
  const request = operation === 'matches.create' ? matchRequestIn(input) : undefined
  return request && madeForMatch(request)
}

export function madeForSegment(request: { participantSegmentId: string; segmentName: string }): MadeFor {
  const { participantSegmentId, segmentName } = request
  return { kind: 'segment', name: participantSegmentId, about: { segmentName } }
}

export function madeForMatch(request: MatchRequest): MadeFor {
  const { segmentId, deliveryScopes } = request
  const about = { segmentId, counterpart: counterpartOf(request), deliveryScopes: [...deliveryScopes] }
  return { kind: 'match', name: segmentId, about }
}

/** `matchId`: null if the service did not say which match the request is for. */
export function madeForActivation(
  { activationName, segmentId, matchJobId }: Pick<ActivationRequest, 'activationName' | 'segmentId' | 'matchJobId'>,
  matchId: string | null = null,
): MadeFor {
  return {
    kind: 'activation',
    name: activationName,
    about: { segmentId, matchJobId, matchId: matchId ?? undefined },
  }
}
