import { formatDuration } from '../../core/format/duration-text.ts'

/** How long a step took; if this run did not execute it, names the earlier run that did. */
export function describeTook({ durationMs, keptFrom }: { durationMs?: number; keptFrom?: string }): string {
  if (keptFrom !== undefined) return `kept from run ${keptFrom}`
  return durationMs === undefined ? '' : formatDuration(durationMs)
}
