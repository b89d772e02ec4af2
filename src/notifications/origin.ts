import type { Occurrence } from '../core/occurrence.ts'
import type { StoredRecord } from '../core/run.ts'
import type { Outbox } from '../state/outbox.ts'
import type { RunHistory } from '../state/run-history.ts'

/** What started a run that people are told of: an occurrence, or somebody who does not watch it. */
export interface Origin {
  readonly occurrence?: Occurrence | undefined
}

/** Pipelines cannot run other pipelines deeper than this. */
const MAX_DEPTH = 100

/**
 * What started the outermost run, which this run is nested in; undefined if a person at a terminal did, who watches it.
 */
export async function originOf(
  { runId, occurrence }: Origin & { readonly runId: string },
  {
    outbox,
    state: { runs },
  }: { readonly outbox: Pick<Outbox, 'startedBy'>; readonly state: { readonly runs: Pick<RunHistory, 'submission'> } },
): Promise<Origin | undefined> {
  if (occurrence) return { occurrence }
  let id = runId
  let first = await runs.submission(id)
  for (let depth = 0; depth < MAX_DEPTH && first; depth++) {
    const { kind, parent } = first.trigger
    if (kind !== 'run' || typeof parent !== 'string') break
    id = parent
    first = await runs.submission(id)
  }
  const root = await outbox.startedBy(id)
  return root || first?.via !== undefined ? { occurrence: root } : undefined
}

/** Whether nobody at a terminal watches the run that begins with this record. */
export function isUnwatched(first: StoredRecord | undefined): boolean {
  return first?.record.type === 'run.submitted' && first.record.via !== undefined
}
