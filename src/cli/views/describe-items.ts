import { count } from '../../core/format/figures.ts'
import type { RunEvent } from '../../core/run-event.ts'

/** How the items of a forEach ended. */
export interface ItemsOutcome {
  readonly total: number
  readonly succeeded: number
  /** The names of the items that failed, in order. */
  readonly failed: readonly string[]
}

/** The name of an item beside its forEach: its key, a name found in it, or its position. */
export function itemName(ref: { key?: string; label?: string; index?: number }): string {
  return ref.key ?? ref.label ?? `[${ref.index ?? 0}]`
}

const MOST_NAMED = 5

/** `18 of 20 items succeeded; failed: seg07, seg13`; `20 items` if all succeeded. */
export function describeItems({ total, succeeded, failed }: ItemsOutcome): string {
  const items = count(total, 'item')
  if (succeeded === total) return items
  const more = failed.length > MOST_NAMED ? ` and ${failed.length - MOST_NAMED} more` : ''
  const named = failed.length === 0 ? '' : `; failed: ${failed.slice(0, MOST_NAMED).join(', ')}${more}`
  return `${succeeded} of ${items} succeeded${named}`
}

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
