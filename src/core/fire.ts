import type { JsonObject } from './json.ts'
import type { Occurrence } from './occurrence.ts'
import type { Pipeline } from './pipeline.ts'
import type { Trigger } from './trigger.ts'

/** An occurrence that needs a run. */
export interface Firing extends Pick<Occurrence, 'key' | 'at' | 'detail' | 'open'> {
  readonly pipeline: Pipeline
  readonly trigger: Trigger
  /** What `trigger` is in expressions, besides `kind` and `id`. */
  readonly values: JsonObject
  /** The people who caused the occurrence, besides the people that `detail` names. */
  readonly submitters?: readonly string[]
}

/**
 * Creates a run for an occurrence, at most once even if it is called again. Returns the occurrence as it is then
 * recorded: it ran, was skipped (the trigger's condition, a busy group), or failed (its inputs cannot be evaluated).
 * Rejects only if the state cannot be written; in that case, nothing has happened.
 */
export type Fire = (firing: Firing) => Promise<Occurrence>
