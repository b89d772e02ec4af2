import type { JsonObject } from '../core/json.ts'

/** What an activation is of. */
export type ActivationTarget = {
  readonly segmentId: string
  /** Null where the service did not say which match its job made. */
  readonly matchId: string | null
}

/** What `activations.ensure` remembers, because the service shows neither what an activation is of nor one in the making. */
export type ActivationMemory = ActivationTarget & {
  /** Activations of the same name that are of something else. */
  readonly others: readonly string[]
} & (
    | { readonly state: 'known'; readonly activationId: string }
    /** Its job had not ended when a run stopped waiting for it. */
    | { readonly state: 'started'; readonly jobId: string }
    /** A run was about to send it; whether it did is not known. */
    | { readonly state: 'sending'; readonly runId: string }
    /** There is none: its job failed, or a person said so. */
    | { readonly state: 'none' }
  )

/** What a ledger entry says; undefined when it is none of this step type's. */
export function activationMemory(entry: JsonObject | undefined): ActivationMemory | undefined {
  const { segmentId, matchId, state, activationId, jobId, runId, others } = entry ?? {}
  if (typeof segmentId !== 'string') return undefined
  const common = {
    segmentId,
    matchId: typeof matchId === 'string' ? matchId : null,
    others: Array.isArray(others) ? others.filter((id) => typeof id === 'string') : [],
  }
  if (state === 'known' && typeof activationId === 'string') return { ...common, state, activationId }
  if (state === 'started' && typeof jobId === 'string') return { ...common, state, jobId }
  if (state === 'sending' && typeof runId === 'string') return { ...common, state, runId }
  return undefined
}
