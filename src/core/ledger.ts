import type { JsonObject } from './json.ts'

/** Whose memory a ledger entry is: a step of a pipeline at a service. */
export interface LedgerKey {
  readonly profile: string
  readonly pipeline: string
  /** The step's id; in a forEach with what tells its items apart. */
  readonly step: string
}

/**
 * Remembers what belongs to a step from run to run, so that tomorrow's `ensure` finds what tonight's made. A cache of
 * what the service says: losing it must lose nothing. It is of one service: what belongs to another base URL under the same
 * profile is not found.
 */
export interface Ledger {
  get(key: LedgerKey): JsonObject | undefined
  /** Durable when it resolves. */
  set(key: LedgerKey, entry: JsonObject): Promise<void>
}
