import type { JsonObject } from '../core/json.ts'
import { isJsonObject } from '../core/json.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import type { StepServices } from './define-step.ts'
import { memoryKey } from './memory-key.ts'
import type { ActivationRequest } from './same-activation.ts'

/** The segment and match that an activation belongs to. */
export type TargetIds = {
  readonly segmentId: string
  /** Null when the service did not say which match its job made. */
  readonly matchId: string | null
}

/**
 * What `activations.ensure` remembers, because the service shows neither the target of an activation nor an activation
 * that is still being created.
 */
export type ActivationMemory = TargetIds & {
  /**
   * The request that was sent, as far as it is remembered. The service shows little of it and never changes it
   * (decision 147).
   */
  readonly sent: JsonObject
} & (
    | { readonly state: 'known'; readonly activationId: string }
    /** A run stopped waiting for its job before the job ended. */
    | { readonly state: 'started'; readonly jobId: string; readonly runId: string }
    /**
     * A run was about to send the request, and it is unknown whether the run did so. `before`: the activations that
     * already had the name. `jobId`: the job, if the request was sent but its job does not say what it made.
     */
    | { readonly state: 'sending'; readonly runId: string; readonly before: readonly string[]; readonly jobId?: string }
  )

/** Reads a step memory entry; undefined if the entry does not belong to this step type. */
export function activationMemory(entry: JsonObject | undefined): ActivationMemory | undefined {
  const { segmentId, matchId, state, activationId, jobId, runId, before, sent } = entry ?? {}
  if (typeof segmentId !== 'string') return undefined
  const common = { segmentId, matchId: textIn(matchId) ?? null, sent: isJsonObject(sent) ? sent : {} }
  if (state === 'known' && typeof activationId === 'string') return { ...common, state, activationId }
  if (typeof runId !== 'string') return undefined
  if (state === 'started' && typeof jobId === 'string') return { ...common, state, jobId, runId }
  if (state !== 'sending') return undefined
  const ids = Array.isArray(before) ? before.filter((id) => typeof id === 'string') : []
  return { ...common, state, runId, before: ids }
}

/** The step memory key of an activation: one per segment, because a forEach may give all of them the same name. */
export function activationKey(
  input: ActivationRequest,
  place: Parameters<typeof memoryKey>[0],
  services: Pick<StepServices, 'profile'>,
): MemoryKey {
  return memoryKey(place, services, `${input.activationName} ${input.segmentId}`)
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
