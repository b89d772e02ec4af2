import type { RunEvent } from '../core/run-event.ts'

/** `waits for step activate of run X, which looks for or makes the same activation "a"`. */
export function describeBlocked({ runId, thing, by }: Extract<RunEvent, { event: 'step.blocked' }>): string {
  const run = by.runId === runId ? 'this run' : `run ${by.runId}`
  return `waits for step ${by.step} of ${run}, which looks for or makes the same ${thing}`
}
