import type { ActivationMemory } from './activation-memory.ts'

/** What `activations.ensure` has to do. */
export type ActivationPlan =
  | { readonly state: 'create'; readonly changed: readonly string[] }
  | { readonly state: 'leave'; readonly activationId: string; readonly changed: readonly string[] }
  | { readonly state: 'replace'; readonly activationId: string; readonly changed: readonly string[] }
  /** Wait for the job of an earlier run. */
  | { readonly state: 'wait'; readonly jobId: string }
  /** A person has to say whether the activation was made. */
  | { readonly state: 'ambiguous'; readonly why: string }
  /** It differs from what the step wants, and that cannot be changed (decision 147). */
  | {
      readonly state: 'conflict'
      readonly activationId: string
      readonly fields: readonly string[]
      /** Whether the step is known to have made it. If not, the step must not replace it. */
      readonly isOwn: boolean
    }

/** An activation that may be the step's. */
export interface Candidate {
  readonly activationId: string
  /** The fields in which it differs from what the step wants. */
  readonly differs: readonly string[]
}

/** What was read before deciding. */
export interface ActivationSight {
  /** For the same segment, and for the same match unless `changed` says otherwise. */
  readonly memory: ActivationMemory | undefined
  /** The remembered activation, if it still exists. */
  readonly own: Candidate | undefined
  /** Activations with the same name and, as far as is known, the same target; oldest first. */
  readonly listed: readonly Candidate[]
  /** Contains `segment` or `match` when the existing activation belongs to another one. */
  readonly changed: readonly string[]
  /** A person has confirmed that the activation in doubt was made. */
  readonly confirmed: boolean
}

/** Decides by memory if there is any, else by the list (decisions 138 and 147). */
export function decideActivation(
  { memory, own, listed, changed, confirmed }: ActivationSight,
  onChange: 'fail' | 'keep' | 'replace',
): ActivationPlan {
  if (memory?.state === 'started') return { state: 'wait', jobId: memory.jobId }
  if (own) return asWanted(own, onChange, true)
  if (memory?.state === 'sending') {
    const fresh = listed.filter(({ activationId }) => !memory.before.includes(activationId))
    const newest = fresh.at(-1)
    if (newest && (fresh.length === 1 || confirmed)) return asWanted(newest, onChange, true)
    const seen = newest ? `there are ${fresh.length} new ones of this name` : 'it is not there (yet)'
    return { state: 'ambiguous', why: `${seen}, and run ${memory.runId} does not know either` }
  }
  const candidate = listed.filter(({ differs }) => differs.length === 0).at(-1) ?? listed.at(-1)
  return candidate ? asWanted(candidate, onChange, false) : { state: 'create', changed }
}

function asWanted(
  { activationId, differs }: Candidate,
  onChange: 'fail' | 'keep' | 'replace',
  isOwn: boolean,
): ActivationPlan {
  if (differs.length === 0 || onChange === 'keep') return { state: 'leave', activationId, changed: differs }
  if (onChange === 'replace' && isOwn) return { state: 'replace', activationId, changed: differs }
  return { state: 'conflict', activationId, fields: differs, isOwn }
}
