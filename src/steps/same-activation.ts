import type { Activation } from '../contract/activations.ts'
import type { InputOf } from '../contract/operations.ts'
import { isKeptAs } from './made-other.ts'
import { shown } from './shown.ts'

/** The activation that a step asks for. */
export type ActivationRequest = InputOf<'activations.create'>

/** The sent fields that the service shows, and the names under which it shows them (decision 95). */
const SHOWN_AS = [
  ['campaignName', 'campaign'],
  ['agency', 'agency'],
  ['brand', 'brand'],
] as const

/**
 * Whether an activation fits a request, according to what the service shows. The service shows neither the segment nor
 * the match (decisions 94 and 95).
 */
export function isSameActivation(activation: Activation, request: ActivationRequest): boolean {
  return hasSameName(activation, request) && shownDifferences(activation, request).length === 0
}

/** Whether an activation fits a request, if the service keeps names and texts in its own form. */
export function mayBeActivation(activation: Activation, request: ActivationRequest): boolean {
  const { ActivationName } = activation
  return (
    whoseIs(activation) !== 'other' &&
    typeof ActivationName === 'string' &&
    isKeptAs(ActivationName, request.activationName) &&
    shownDifferences(activation, request).length === 0
  )
}

export function hasSameName(
  activation: Activation,
  { activationName }: Pick<ActivationRequest, 'activationName'>,
): boolean {
  return activation.ActivationName === activationName && whoseIs(activation) !== 'other'
}

/**
 * Who asked for an activation, by the caller's role (decision 104). Without a role, it counts as the caller's. With an
 * undocumented role, a person decides.
 */
export function whoseIs({ myRole }: Pick<Activation, 'myRole'>): 'own' | 'other' | 'unknown' {
  const role = shown(myRole)?.toLowerCase() ?? 'requester'
  if (role === 'requester') return 'own'
  return role === 'approver' ? 'other' : 'unknown'
}

/** A field of a request as the service shows it; undefined if it does not show it. */
export function shownField(activation: Activation, field: string): string | null | undefined {
  const key = SHOWN_AS.find(([name]) => name === field)?.[1]
  return key && activation[key]
}

/**
 * The fields of a request that the service shows with a different value. "", null and absent count as equal (decision
 * 138). So does a text in the service's own form (decision 141).
 */
export function shownDifferences(activation: Activation, request: ActivationRequest): string[] {
  return SHOWN_AS.filter((field) => !isKept(field, activation, request)).map(([name]) => name)
}

function isKept([name, key]: (typeof SHOWN_AS)[number], activation: Activation, request: ActivationRequest): boolean {
  return !(key in activation) || isKeptAs(shown(activation[key]) ?? '', shown(request[name]) ?? '')
}
