import { formatDuration } from '../core/format/duration-text.ts'
import type { LookFacts } from '../core/run-event.ts'

/** `looks for a segment with participantSegmentId "a", for up to 15.0 s: POST /api/segments failed: 500 …`. */
export function describeLook({ lookedFor, upToMs, why }: LookFacts): string {
  return `looks for ${lookedFor}, for up to ${formatDuration(upToMs)}: ${why}`
}
