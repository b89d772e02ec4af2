import { formatDuration } from '../core/format/duration-text.ts'
import { count } from '../core/format/figures.ts'
import type { Blocked } from '../core/run.ts'
import type { LookFacts, RunEvent } from '../core/run-event.ts'

/** `waits for step activate of run X, which is working on the same thing: activation "a" of segment 5001`. */
export function describeBlocked({ runId, thing, by }: Blocked & { runId: string }): string {
  const run = by.runId === runId ? 'this run' : `run ${by.runId}`
  return `waits for step ${by.step} of ${run}, which is working on the same thing: ${thing}`
}

/** `waits for its turn, behind 3 others`; empty when its turn has come. */
export function describeQueued({ ahead }: Extract<RunEvent, { event: 'step.queued' }>): string {
  return ahead === 0 ? '' : `waits for its turn, behind ${count(ahead, 'other')}`
}

/** `looks for a segment with participantSegmentId "a", for up to 15.0 s: POST /api/segments failed: 500 …`. */
export function describeLook({ lookedFor, upToMs, why }: LookFacts): string {
  return `looks for ${lookedFor}, for up to ${formatDuration(upToMs)}: ${why}`
}
