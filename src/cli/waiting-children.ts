import { InvalidDocumentError } from '../core/errors.ts'
import { stepKey } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { createRecordTeller } from '../runs/record-teller.ts'
import { waitingRunsBelow } from '../runs/waiting-runs-below.ts'
import type { RunHistory } from '../state/run-history.ts'
import { stepTypes } from '../steps/index.ts'
import type { WaitingEvent } from './views/event-sink.ts'

/** What the runs that a run has started ask a person now. */
export async function waitingChildren(
  parent: string,
  runs: Pick<RunHistory, 'page' | 'records'>,
): Promise<readonly WaitingEvent[]> {
  const rows = await waitingRunsBelow(parent, runs)
  const events = await Promise.all(rows.map(({ runId }) => pastEvents(runId, runs)))
  return events.flatMap(openQuestions)
}

/** What a run has told so far; nothing if another version started it and this one cannot read its document. */
export async function pastEvents(runId: string, runs: Pick<RunHistory, 'records'>): Promise<readonly RunEvent[]> {
  const records = await runs.records(runId)
  try {
    return createRecordTeller(runId, records, { readPipeline, stepTypes }).tell(records)
  } catch (error) {
    if (error instanceof InvalidDocumentError) return []
    throw error
  }
}

function openQuestions(events: readonly RunEvent[]): WaitingEvent[] {
  const open = new Map<string, WaitingEvent>()
  for (const event of events) {
    if (event.event === 'step.waiting') open.set(stepKey(event), event)
    else if (event.event === 'step.decided' || event.event === 'step.finished') open.delete(stepKey(event))
  }
  return [...open.values()]
}
