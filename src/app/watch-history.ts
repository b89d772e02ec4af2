import type { Clock } from '../core/clock.ts'
import type { RunEvent } from '../core/run-event.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { createRecordTeller } from '../runs/record-teller.ts'
import type { RunHistory } from '../state/run-history.ts'
import { stepTypes } from '../steps/index.ts'

const LOOK_EVERY_MS = 500

/**
 * The events of a run that this process is not working on, until the run ends. After `signal` aborts, only the events
 * that are already recorded.
 */
export async function* watchHistory(
  runId: string,
  runs: Pick<RunHistory, 'records'>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): AsyncGenerator<RunEvent> {
  let records = await runs.records(runId)
  const teller = createRecordTeller(runId, records, { readPipeline, stepTypes })
  for (;;) {
    yield* teller.tell(records)
    if (teller.hasEnded || signal.aborted) return
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
    records = await runs.records(runId, teller.nextSeq - 1)
  }
}
