import type { JsonObject } from '../core/json.ts'
import type { Sealing } from '../core/sealing.ts'

/** The owner of a step memory entry: a step of a pipeline at a service. */
export interface MemoryKey {
  readonly profile: string
  readonly pipeline: string
  /** The step's id; in a forEach, with a part that distinguishes its items. */
  readonly step: string
}

/**
 * Stores what a step remembers from run to run, so that tomorrow's `ensure` finds what tonight's run created. It is
 * only a cache of what the service says, so losing it must do no harm. It belongs to one service, and does not find
 * entries of another base URL under the same profile. `sealing` replaces the secrets of the document.
 */
export interface StepMemory {
  get(key: MemoryKey, sealing?: Sealing): Promise<JsonObject | undefined>
  /** Durable when it resolves. */
  set(key: MemoryKey, entry: JsonObject, sealing?: Sealing): Promise<void>
}
