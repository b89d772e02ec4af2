import type { GuardVerdict } from '../../core/guard.ts'
import type { HumanDecision } from '../../core/run.ts'

/**
 * The measured values after a person has decided about the step. If a value was held, its verdict is now the decision.
 */
export function afterDecision<T extends { readonly verdict: GuardVerdict }>(guard: T, decision: HumanDecision): T {
  const isVerdict = decision === 'approved' || decision === 'rejected'
  return guard.verdict === 'held' && isVerdict ? { ...guard, verdict: decision } : guard
}
