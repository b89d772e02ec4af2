import type { Journal } from '../../state/journal.ts'
import type { Outbox } from '../../state/outbox.ts'
import type { StateFigures } from './state-figures.ts'

/** Reads the figures, with two small queries a pipeline. `pipelines` are the names of the loaded pipelines. */
export function readStateFigures(
  state: {
    readonly journal: Pick<Journal, 'counts' | 'find' | 'lastSuccess'>
    readonly outbox: Pick<Outbox, 'counts'>
  },
  pipelines: Iterable<string>,
): StateFigures {
  const { journal, outbox } = state
  const lastSuccess = new Map<string, number>()
  for (const pipeline of pipelines) {
    const runId = journal.lastSuccess(pipeline)
    const at = runId === undefined ? undefined : journal.find(runId)?.finishedAt
    if (at !== undefined) lastSuccess.set(pipeline, at)
  }
  return { runs: journal.counts(), notifications: outbox.counts(), lastSuccess }
}
