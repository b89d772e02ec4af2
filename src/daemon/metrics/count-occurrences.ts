import type { Fire } from '../../core/fire.ts'
import type { OccurrenceRef } from '../../core/occurrence.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import type { AccountedOccurrence } from './trigger-metrics.ts'

/** Wraps the occurrence store and the firing of triggers of one kind to report each accounted occurrence once. */
export function countOccurrences(
  triggers: {
    readonly kind: AccountedOccurrence['kind']
    readonly occurrenceStore: OccurrenceStore
    readonly fire: Fire
  },
  deps: {
    readonly tell: (occurrence: AccountedOccurrence) => void
    /** Milliseconds since 1970. */
    readonly now: () => number
    /** When the run of a slot should start, jitter included. */
    readonly startOf: (ref: OccurrenceRef, at: number) => number
  },
): { readonly occurrenceStore: OccurrenceStore; readonly fire: Fire } {
  const { kind, occurrenceStore, fire } = triggers
  const { tell, now, startOf } = deps
  const isAccountedFor = (ref: OccurrenceRef) => (occurrenceStore.find(ref)?.state ?? 'due') !== 'due'

  return {
    occurrenceStore: {
      ...occurrenceStore,
      async note(ref, change) {
        const fresh = (change.occurrences ?? []).filter(({ key }) => !isAccountedFor({ ...ref, key }))
        await occurrenceStore.note(ref, change)
        for (const { state } of fresh) tell({ kind, pipeline: ref.pipeline, state })
      },
    },
    async fire(firing) {
      const { key, at } = firing
      const ref = { pipeline: firing.pipeline.name, trigger: firing.trigger.id, key }
      const isFresh = !isAccountedFor(ref)
      const occurrence = await fire(firing)
      const { pipeline, state } = occurrence
      if (isFresh) tell({ kind, pipeline, state, latenessMs: now() - startOf(ref, at) })
      return occurrence
    },
  }
}
