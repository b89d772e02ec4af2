import { formatDuration } from '../../../../core/format/duration-text.ts'

/** A smaller difference is only network delay. */
const SAME_WITHIN_MS = 1000

/** Compares the clock of the service with the machine's clock: `as this machine's`, `1 h ahead of this machine's`. */
export function besideText(offsetMs: number): string {
  if (Math.abs(offsetMs) < SAME_WITHIN_MS) return 'as this machine’s'
  return `${formatDuration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine’s`
}
