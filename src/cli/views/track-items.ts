import type { RunEvent } from '../../core/run-event.ts'
import { type ItemsOutcome, itemName } from './describe-items.ts'

/** Follows the items of forEach steps by their events. */
export interface ItemTracker {
  event(event: RunEvent): void
  /** How the items of a step have ended so far; undefined if the step has none. */
  outcomeOf(step: string): ItemsOutcome | undefined
}

export function createItemTracker(): ItemTracker {
  const steps = new Map<string, { total: number; succeeded: number; failed: string[] }>()
  return {
    outcomeOf: (step) => steps.get(step),
    event(event) {
      if (!('step' in event) || event.index === undefined) return
      const forEach = event.block ?? event.step
      const known = steps.get(forEach) ?? { total: 0, succeeded: 0, failed: [] }
      steps.set(forEach, known)
      known.total = Math.max(event.items ?? 0, event.index + 1, known.total)
      // The end of one step of an item is not the end of the item.
      if (event.event !== 'step.finished' || event.block !== undefined) return
      if (event.status === 'succeeded') known.succeeded += 1
      if (event.status === 'failed') known.failed.push(itemName(event))
    },
  }
}
