import type { JsonObject } from './json.ts'
import type { Pipeline, Trigger } from './pipeline.ts'
import type { Occurrence } from './trigger-ledger.ts'

/** An occurrence that a run is to be made of. */
export interface Firing extends Pick<Occurrence, 'key' | 'at' | 'detail' | 'open'> {
  readonly pipeline: Pipeline
  readonly trigger: Trigger
  /** What `trigger` is in expressions, besides `kind` and `id`. */
  readonly values: JsonObject
}

/**
 * Makes a run of an occurrence, once however often it is called, and tells what the ledger says of it then: it ran, was
 * skipped (the trigger's condition, a busy group), or failed (its inputs cannot be evaluated). Rejects only where the
 * state cannot be written; then nothing has happened.
 */
export type Fire = (firing: Firing) => Promise<Occurrence>
