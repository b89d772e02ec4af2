import type { Submission } from '../core/engine.ts'
import type { QueuedBehind, RunGroup } from '../core/run.ts'

/** A group without room for one more run. `inTheWay` are the runs that must end first, oldest first. */
export interface FullGroup {
  readonly group: RunGroup
  readonly inTheWay: readonly string[]
}

/** A run that is not added, and what is recorded about its occurrence. */
interface Barred {
  readonly submission: Submission
  readonly occurrence: { readonly state: 'skipped' | 'failed'; readonly reason: string }
}

/** A run that is added. */
interface Admitted {
  readonly submission?: undefined
  /** The runs that get a message to cancel them. */
  readonly cancels: readonly string[]
  /** Why the run does not begin immediately; missing if it does. */
  readonly queued?: QueuedBehind
}

/** Decides what happens to a run whose groups are full. `hold` queues the run even if no group is full. */
export function decideAdmission(full: readonly FullGroup[], hold = false): Barred | Admitted {
  const barred = full.find(({ group }) => group.onConflict === 'skip' || group.onConflict === 'fail')
  if (barred) {
    const { group, inTheWay } = barred
    const by = inTheWay[0] ?? ''
    const isSkipped = group.onConflict === 'skip'
    const reason = group.because ?? `group ${group.name} is busy with run ${by}`
    return {
      submission: { runId: by, existing: true, state: isSkipped ? 'skipped' : 'refused' },
      occurrence: { state: isSkipped ? 'skipped' : 'failed', reason },
    }
  }
  const cancels = full.flatMap(({ group, inTheWay }) => (group.onConflict === 'cancelRunning' ? inTheWay : []))
  const [first] = full
  if (!first) return { cancels, queued: hold ? {} : undefined }
  const [behind] = first.inTheWay
  return { cancels, queued: { group: first.group.name, behind } }
}
