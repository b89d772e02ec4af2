import type { Activation } from '../contract/activations.ts'
import type { ActivationMemory, ActivationTarget } from './activation-memory.ts'

/** What `activations.ensure` has to do; `others` are activations of that name which are of something else. */
export type ActivationPlan =
  | { readonly state: 'create'; readonly changed: readonly string[]; readonly others: readonly string[] }
  | { readonly state: 'leave'; readonly activationId: string; readonly others: readonly string[] }
  /** Wait for the job of an earlier run. */
  | { readonly state: 'wait'; readonly jobId: string; readonly others: readonly string[] }
  /** Another run sent it and never heard: a person has to say whether there is one. */
  | { readonly state: 'undecided'; readonly runId: string }

/**
 * Decides by memory where there is one for the same segment and match, and by name where there is none: the service
 * does not show what an activation is of. `same`: the activations that are as the step wants them, oldest first.
 */
export function decideActivation(
  target: ActivationTarget,
  same: readonly Activation[],
  remembered: ActivationMemory | undefined,
): ActivationPlan {
  const changed = remembered ? differences(target, remembered) : []
  const others = [...(remembered?.others ?? [])]
  if (remembered?.state === 'known' && changed.length > 0) others.push(remembered.activationId)
  const candidates = same.map(({ ActivationId }) => ActivationId).filter((id) => !others.includes(id))
  const newest = candidates.at(-1)
  if (!remembered || changed.length > 0) {
    return newest === undefined
      ? { state: 'create', changed, others }
      : { state: 'leave', activationId: newest, others }
  }
  if (remembered.state === 'started') return { state: 'wait', jobId: remembered.jobId, others }
  const own = remembered.state === 'known' ? candidates.find((id) => id === remembered.activationId) : undefined
  const activationId = own ?? newest
  if (activationId !== undefined) return { state: 'leave', activationId, others }
  if (remembered.state === 'sending') return { state: 'undecided', runId: remembered.runId }
  return { state: 'create', changed: [], others }
}

function differences(target: ActivationTarget, { segmentId, matchId }: ActivationMemory): string[] {
  if (target.segmentId !== segmentId) return ['segment']
  return target.matchId !== null && matchId !== null && target.matchId !== matchId ? ['match'] : []
}
