import { formatDuration } from '../../core/duration.ts'

/** How long a step took; or which earlier run did it, where this one did not do it again. */
export function describeTook({ durationMs, keptFrom }: { durationMs?: number; keptFrom?: string }): string {
  if (keptFrom !== undefined) return `kept from run ${keptFrom}`
  return durationMs === undefined ? '' : formatDuration(durationMs)
}
