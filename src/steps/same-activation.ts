import type { Activation } from '../contract/activations.ts'
import type { InputOf } from '../contract/operations.ts'

/**
 * Whether an activation is what a request asks for, as far as the service shows it, which is neither the segment nor
 * the match (decisions 94 and 95).
 */
export function isSameActivation(activation: Activation, request: InputOf<'activations.create'>): boolean {
  return (
    activation.ActivationName === request.activationName &&
    activation.myRole !== 'Approver' &&
    isShownAs(activation.campaign, request.campaignName) &&
    isShownAs(activation.agency, request.agency) &&
    isShownAs(activation.brand, request.brand)
  )
}

function isShownAs(shown: string | null | undefined, wanted: string | undefined): boolean {
  return shown === undefined || shown === (wanted ?? null)
}
