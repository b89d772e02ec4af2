import type { Fire } from '../../core/fire.ts'
import type { OccurrenceRef } from '../../core/occurrence.ts'
import type { TriggerLedger } from '../../state/occurrence-store.ts'
import type { AccountedOccurrence } from './trigger-metrics.ts'

/** Wraps the ledger and the firing of triggers of one kind to report each accounted occurrence once. */
export function countOccurrences(
  triggers: { readonly kind: AccountedOccurrence['kind']; readonly ledger: TriggerLedger; readonly fire: Fire },
  means: {
    readonly tell: (occurrence: AccountedOccurrence) => void
    /** Milliseconds since 1970. */
    readonly now: () => number
    /** When the run of a slot should start, jitter included. */
    readonly startOf: (ref: OccurrenceRef, at: number) => number
  },
): { readonly ledger: TriggerLedger; readonly fire: Fire } {
  const { kind, ledger, fire } = triggers
  const { tell, now, startOf } = means
  const isAccountedFor = (ref: OccurrenceRef) => (ledger.find(ref)?.state ?? 'due') !== 'due'

  return {
    ledger: {
      ...ledger,
      async note(ref, change) {
        const fresh = (change.occurrences ?? []).filter(({ key }) => !isAccountedFor({ ...ref, key }))
        await ledger.note(ref, change)
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
