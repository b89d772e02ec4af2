import type { Blocked } from '../core/run.ts'

/** `waits for step activate of run X, which works on the same: activation "a" of segment 5001`. */
export function describeBlocked({ runId, thing, by }: Blocked & { readonly runId: string }): string {
  const run = by.runId === runId ? 'this run' : `run ${by.runId}`
  return `waits for step ${by.step} of ${run}, which works on the same: ${thing}`
}
