import type { Fire } from '../../core/fire.ts'
import type { Occurrence, OccurrenceRef } from '../../core/occurrence.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { Trigger } from '../../core/trigger.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { METRICS } from './definitions.ts'
import type { Families } from './families.ts'

/** The outcome of a slot of a schedule, of a file of a watched folder, or of a set of ended runs. */
export interface AccountedOccurrence extends Pick<Occurrence, 'pipeline' | 'state'> {
  readonly kind: Trigger['kind']
  /**
   * For a slot that ran: how long after its planned start the run was recorded. The planned start includes the jitter.
   */
  readonly latenessMs?: number
}

/** Counts the occurrences that this process accounted for. */
export function triggerMetrics({ counter, histogram }: Families, { label }: { label: (pipeline: string) => string }) {
  const slots = counter('audience_slots_total')
  const files = counter('audience_files_total')
  const sets = counter('audience_sets_total')
  const ofKind = { schedule: slots, watch: files, remote: files, after: sets }
  const lateness = histogram('audience_slot_lateness_seconds')
  return {
    /** Receives each occurrence once. */
    onOccurrence({ kind, pipeline, state, latenessMs }: AccountedOccurrence) {
      // A due occurrence is counted when it reaches another state.
      if (state === 'due') return
      ofKind[kind].inc({ pipeline: label(pipeline), outcome: state })
      if (kind === 'schedule' && state === 'ran' && latenessMs !== undefined)
        lateness.observe(Math.max(0, latenessMs) / 1000)
    },
    /** Creates the counters of a pipeline for the kinds of triggers that it has. */
    load({ name, triggers }: Pick<Pipeline, 'name' | 'triggers'>) {
      const pipeline = label(name)
      const kinds = new Set(triggers.map(({ kind }) => kind))
      // Counters for other kinds would add thousands of useless lines for a folder of 2,000 pipelines.
      if (kinds.has('schedule'))
        for (const outcome of METRICS.audience_slots_total.labels.outcome) slots.inc({ pipeline, outcome }, 0)
      if (kinds.has('watch') || kinds.has('remote'))
        for (const outcome of METRICS.audience_files_total.labels.outcome) files.inc({ pipeline, outcome }, 0)
      if (kinds.has('after'))
        for (const outcome of METRICS.audience_sets_total.labels.outcome) sets.inc({ pipeline, outcome }, 0)
    },
  }
}

/**
 * Wraps the occurrence store and the firing of triggers of one kind so that each occurrence that is accounted for is
 * reported once.
 */
export function countOccurrences(
  triggers: {
    kind: AccountedOccurrence['kind']
    occurrenceStore: OccurrenceStore
    fire: Fire
  },
  deps: {
    tell: (occurrence: AccountedOccurrence) => void
    /** Milliseconds since 1970. */
    now: () => number
    /** When the run of a slot should start, jitter included. */
    startOf: (ref: OccurrenceRef, at: number) => number
  },
): { readonly occurrenceStore: OccurrenceStore; readonly fire: Fire } {
  const { kind, occurrenceStore, fire } = triggers
  const { tell, now, startOf } = deps
  const isAccountedFor = async (ref: OccurrenceRef) => ((await occurrenceStore.find(ref))?.state ?? 'due') !== 'due'

  return {
    occurrenceStore: {
      ...occurrenceStore,
      async note(ref, change) {
        const keys = await occurrenceStore.note(ref, change)
        const noted = new Set(keys)
        for (const { key, state } of change.occurrences ?? [])
          if (noted.has(key)) tell({ kind, pipeline: ref.pipeline, state })
        return keys
      },
    },
    async fire(firing) {
      const { key, at } = firing
      const ref = { pipeline: firing.pipeline.name, trigger: firing.trigger.id, key }
      const isFresh = !(await isAccountedFor(ref))
      const occurrence = await fire(firing)
      const { pipeline, state } = occurrence
      if (isFresh) tell({ kind, pipeline, state, latenessMs: now() - startOf(ref, at) })
      return occurrence
    },
  }
}
