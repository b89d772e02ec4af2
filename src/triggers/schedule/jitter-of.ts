import type { ScheduleTrigger } from '../../core/pipeline.ts'
import { sha256 } from '../../core/sha256.ts'

/**
 * How many milliseconds later than its time a slot starts: from 0 to the trigger's jitter. The result for a slot is
 * always the same, in every process, and is spread evenly over slots, triggers and pipelines.
 */
export function jitterOf(pipeline: string, trigger: Pick<ScheduleTrigger, 'id' | 'jitterMs'>, slotMs: number): number {
  if (trigger.jitterMs === 0) return 0
  const share = Number.parseInt(sha256(JSON.stringify([pipeline, trigger.id, slotMs])).slice(0, 8), 16) / 2 ** 32
  return Math.floor(share * (trigger.jitterMs + 1))
}
