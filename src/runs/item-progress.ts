import { isSameJson, type Json } from '../core/json.ts'
import { type KeptExecution, type SettledStatus, type StepRef, stepKey } from '../core/run.ts'

/**
 * How far the items of a forEach have got, by index. The records of the executions determine it. It is kept so that a
 * decision about 10,000 items need not examine all of them.
 */
export interface ItemProgress {
  readonly begun: Set<number>
  /** Items that have begun but not ended. */
  readonly open: Set<number>
  readonly failed: Set<number>
  /** Items that an earlier run completed, and that have not been taken over. */
  readonly kept: Set<number>
  /** All items before this one have begun. */
  next: number
}

/**
 * The progress of items before any work. Results of an earlier run are kept for the same value under the same key or
 * index.
 */
export function newProgress(
  { step }: StepRef,
  { items, keys }: { items: readonly Json[]; keys?: readonly string[] },
  kept: ReadonlyMap<string, KeptExecution>,
): ItemProgress {
  const done = new Set<number>()
  if (kept.size > 0) {
    for (const [index, item] of items.entries()) {
      const key = keys?.[index]
      const execution = kept.get(stepKey({ step, index, key }))
      if (execution && 'outputs' in execution && isSameJson(execution.item, item)) done.add(index)
    }
  }
  return { begun: new Set(), open: new Set(), failed: new Set(), kept: done, next: 0 }
}

/** Notes that an item has begun. */
export function noteBegun(progress: ItemProgress, index: number): void {
  if (progress.begun.has(index)) return
  progress.begun.add(index)
  progress.open.add(index)
  progress.kept.delete(index)
  while (progress.begun.has(progress.next)) progress.next += 1
}

export function noteEnded(progress: ItemProgress, index: number, status: SettledStatus): void {
  progress.open.delete(index)
  if (status === 'failed') progress.failed.add(index)
}

/** The first items that have not begun, at most `count`. */
export function freshItems({ begun, next }: ItemProgress, total: number, count: number): readonly number[] {
  const fresh: number[] = []
  for (let index = next; index < total && fresh.length < count; index += 1) if (!begun.has(index)) fresh.push(index)
  return fresh
}
