import { formatDuration } from '../../core/format/duration-text.ts'

/** How long a step took, or the earlier run that executed it, if this run did not. */
export function describeTook({ durationMs, keptFrom }: { durationMs?: number; keptFrom?: string }): string {
  if (keptFrom !== undefined) return `kept from run ${keptFrom}`
  return durationMs === undefined ? '' : formatDuration(durationMs)
}
