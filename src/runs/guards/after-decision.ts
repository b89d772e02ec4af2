import type { GuardVerdict } from '../../core/guard.ts'
import type { HumanDecision } from '../../core/run.ts'

/**
 * The measured values after a person has decided about the step: the decision is the verdict on a value that was held.
 */
export function afterDecision<T extends { readonly verdict: GuardVerdict }>(guard: T, decision: HumanDecision): T {
  const isVerdict = decision === 'approved' || decision === 'rejected'
  return guard.verdict === 'held' && isVerdict ? { ...guard, verdict: decision } : guard
}
