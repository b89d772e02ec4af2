import type { RunEvent } from '../../core/run-event.ts'
import type { ItemsOutcome } from './describe-items.ts'

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
      const known = steps.get(event.step) ?? { total: 0, succeeded: 0, failed: [] }
      steps.set(event.step, known)
      known.total = Math.max(event.items ?? 0, event.index + 1, known.total)
      if (event.event !== 'step.finished') return
      if (event.status === 'succeeded') known.succeeded += 1
      if (event.status === 'failed') known.failed.push(event.label ?? `[${event.index}]`)
    },
  }
}
