import type { Occurrence } from '../core/occurrence.ts'
import type { Outbox } from '../state/outbox.ts'
import type { RunHistory } from '../state/run-history.ts'

/** What started a run that people get messages about: an occurrence, or somebody who is not watching the run. */
export interface Origin {
  readonly occurrence?: Occurrence | undefined
}

/** Pipelines cannot run other pipelines deeper than this. */
const MAX_DEPTH = 100

/**
 * What started the outermost run that contains this run; undefined if a person at a terminal started that outermost run
 * and is watching it.
 */
export async function originOf(
  { runId, occurrence }: Origin & { runId: string },
  { outbox, state: { runs } }: { outbox: Pick<Outbox, 'startedBy'>; state: { runs: Runs } },
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
  return root || (await isUnwatched(id, runs)) ? { occurrence: root } : undefined
}

type Runs = Pick<RunHistory, 'submission' | 'find'>

/** Whether nobody is watching a run at a terminal: nobody ever was, or the watcher has left. */
export async function isUnwatched(runId: string, runs: Runs): Promise<boolean> {
  if ((await runs.submission(runId))?.via !== undefined) return true
  return (await runs.find(runId))?.leftAt !== undefined
}
