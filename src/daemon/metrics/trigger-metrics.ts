import { Counter, Histogram, type Registry } from 'prom-client'
import type { Occurrence } from '../../core/occurrence.ts'

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
    help: 'Slots of schedules, by what became of them: ran, skipped, missed or failed.',
    labelNames,
    registers,
  })
  const lateness = new Histogram({
    name: 'audience_slot_lateness_seconds',
    help: 'How long after its time the run of a slot was there.',
    buckets: LATENESS_SECONDS,
    registers,
  })
  const files = new Counter({
    name: 'audience_files_total',
    help: 'Files of watched folders, by what became of them: ran, skipped, missed or failed.',
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
