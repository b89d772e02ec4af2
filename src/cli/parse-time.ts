import { parseDuration } from '../core/duration.ts'
import { AudienceError } from '../core/errors.ts'
import { isDay } from '../triggers/schedule/days-off.ts'

const TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/**
 * Parses a time that a person typed, to milliseconds since 1970. Without an offset, the clock of this machine applies;
 * without a time of day, it is the start of the day. `others` begins the
 * examples. Throws an AudienceError of the kind `usage`.
 */
export function parseTime(text: string, option: string, others = ''): number {
  const [, day = '', time = '00:00', offset = ''] = TIME.exec(text) ?? []
  const ms = isDay(day) ? Date.parse(`${day}T${time}${offset}`) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw new AudienceError({
    code: 'bad-time',
    kind: 'usage',
    message: `${option} "${text}" is no time`,
    hint: `write it as ${others}2026-03-08, 2026-03-08T02:00 or 2026-03-08T02:00:00Z`,
  })
}

/** How far back a person wants to look with `--since`: a duration before now, or a time. Throws as `parseTime` does. */
export function parseSince(text: string, now: number): number {
  const ms = parseDuration(text)
  return ms === undefined ? parseTime(text, '--since', '7d, 12h, ') : now - ms
}
