import { Counter, Histogram, type Registry } from 'prom-client'
import type { Fire } from '../../core/fire.ts'
import type { Occurrence, OccurrenceRef, OccurrenceState } from '../../core/occurrence.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'

/** The outcome of a slot of a schedule or of a file of a watched folder. */
export interface AccountedOccurrence extends Pick<Occurrence, 'pipeline' | 'state'> {
  readonly kind: 'schedule' | 'watch'
  /** For a slot that ran: how long after its time, jitter included, the run was recorded. */
  readonly latenessMs?: number
}

const LATENESS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]

/** Counts the occurrences that this process accounted for. Returns the function that receives them, each once. */
export function triggerMetrics(
  registers: Registry[],
  { pipeline }: { readonly pipeline: (name: string) => string },
): (occurrence: AccountedOccurrence) => void {
  const labelNames = ['pipeline', 'outcome']
  const slots = new Counter({
    name: 'audience_slots_total',
    help: 'Slots of schedules, by outcome: ran, skipped, missed or failed.',
    labelNames,
    registers,
  })
  const lateness = new Histogram({
    name: 'audience_slot_lateness_seconds',
    help: 'Delay from a slot to the record of its run.',
    buckets: LATENESS_SECONDS,
    registers,
  })
  const files = new Counter({
    name: 'audience_files_total',
    help: 'Files of watched folders, by outcome: ran, skipped, missed or failed.',
    labelNames,
    registers,
  })
  return ({ kind, pipeline: name, state, latenessMs }) => {
    // A due occurrence is counted when it reaches another state.
    if (state === 'due') return
    const counter = kind === 'schedule' ? slots : files
    counter.inc({ pipeline: pipeline(name), outcome: state })
    if (kind === 'schedule' && state === 'ran' && latenessMs !== undefined)
      lateness.observe(Math.max(0, latenessMs) / 1000)
  }
}

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
  const isAccountedFor = async (ref: OccurrenceRef) => ((await occurrenceStore.find(ref))?.state ?? 'due') !== 'due'

  return {
    occurrenceStore: {
      ...occurrenceStore,
      async note(ref, change) {
        const fresh: OccurrenceState[] = []
        for (const { key, state } of change.occurrences ?? [])
          if (!(await isAccountedFor({ ...ref, key }))) fresh.push(state)
        await occurrenceStore.note(ref, change)
        for (const state of fresh) tell({ kind, pipeline: ref.pipeline, state })
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
