import type { RunEvent } from '../core/run-event.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { followEvents } from '../engine/follow-events.ts'
import { systemClock } from '../platform/clock.ts'
import type { Journal } from '../state/journal.ts'
import { stepTypes } from '../steps/index.ts'

/** The events of a run that this process does not work on; after `signal` aborts, only the recorded ones. */
export function watchHistory(
  runId: string,
  journal: Pick<Journal, 'records'>,
  signal: AbortSignal,
): AsyncIterable<RunEvent> {
  return followEvents(runId, () => undefined, { journal, clock: systemClock, readPipeline, stepTypes }, signal)
}
