import { type Blocked, type RunRecord, stepKey } from '../core/run.ts'

/**
 * The records after which a step execution no longer waits for another: it continued, or another process checks again.
 */
const ENDS_BLOCK: ReadonlySet<RunRecord['type']> = new Set<RunRecord['type']>([
  'step.unblocked',
  'effect.done',
  'step.started',
  'step.waiting',
  'attempt.failed',
  'step.finished',
])

export function endsBlock({ type }: RunRecord): boolean {
  return ENDS_BLOCK.has(type)
}

/** The step execution whose wait a record ends; undefined if none waited. `steps` is their state before the record. */
export function unblockedBy(
  steps: ReadonlyMap<string, { readonly blocked?: Blocked }>,
  record: RunRecord,
): string | undefined {
  if (!('step' in record) || !endsBlock(record)) return undefined
  const key = stepKey(record)
  return steps.get(key)?.blocked ? key : undefined
}
