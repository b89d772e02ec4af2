import { parseDuration } from '../core/duration.ts'
import { usageError } from '../core/errors.ts'

/** The milliseconds of a duration that a person typed. Throws an AudienceError of the kind `usage`. */
export function durationOption(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  throw usageError('bad-duration', `"${text}" is not a duration`, 'write it as 30d or 12h')
}
