import { stepKey } from '../core/run.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { createRecordTeller } from '../runs/record-teller.ts'
import type { RunHistory } from '../state/run-history.ts'
import { stepTypes } from '../steps/index.ts'
import type { WaitingEvent } from './views/event-sink.ts'

/** As many questions as a person can read. */
const MOST = 20

/** What the runs that a run has started ask a person now, newest run first. */
export async function waitingChildren(
  parent: string,
  runs: Pick<RunHistory, 'page' | 'records'>,
): Promise<readonly WaitingEvent[]> {
  const { rows } = await runs.page({ parent, status: ['waiting'], limit: MOST })
  const asked = await Promise.all(
    rows.map(async ({ runId }) => {
      const records = await runs.records(runId)
      const open = new Map<string, WaitingEvent>()
      for (const event of createRecordTeller(runId, records, { readPipeline, stepTypes }).tell(records)) {
        if (event.event === 'step.waiting') open.set(stepKey(event), event)
        else if (event.event === 'step.decided' || event.event === 'step.finished') open.delete(stepKey(event))
      }
      return [...open.values()]
    }),
  )
  return asked.flat()
}
