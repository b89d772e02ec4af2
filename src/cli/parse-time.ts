import { parseDuration } from '../core/duration.ts'
import { usageError } from '../core/errors.ts'
import { isDay } from '../triggers/schedule/days-off.ts'
import type { Schedule } from '../triggers/schedule/schedule.ts'

const TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/** A time that a person typed. */
export interface TypedTime {
  readonly day: string
  /** Undefined if only the day was given. */
  readonly time: string | undefined
  /** Undefined without an offset; in that case, the clock of the schedule, or of this machine, applies. */
  readonly ms: number | undefined
}

/** Throws an AudienceError of the kind `usage`. `others` is text that the hint shows before its examples. */
export function readTime(text: string, option: string, others = ''): TypedTime {
  const [, day = '', time, offset] = TIME.exec(text) ?? []
  const ms = isDay(day) ? Date.parse(`${day}T${time ?? '00:00'}${offset ?? 'Z'}`) : Number.NaN
  if (!Number.isNaN(ms)) return { day, time, ms: offset === undefined ? undefined : ms }
  throw usageError(
    'bad-time',
    `${option} "${text}" is not a time`,
    `write it as ${others}2026-03-08, 2026-03-08T02:00 or 2026-03-08T02:00:00Z`,
  )
}

/**
 * A time that a person typed, on the clock of this machine, as milliseconds since 1970. A day alone means the start of
 * that day. Throws the same errors as `readTime`.
 */
export function parseInstant(text: string, option: string, others?: string): number {
  const { day, time, ms } = readTime(text, option, others)
  return ms ?? Date.parse(`${day}T${time ?? '00:00'}`)
}

/** A typed time on the clock of a schedule, as milliseconds since 1970. A day alone means its first slot. */
export function timeOf(schedule: Pick<Schedule, 'startOfDay' | 'instantOf'>, { day, time, ms }: TypedTime): number {
  return ms ?? (time === undefined ? schedule.startOfDay(day) : schedule.instantOf(`${day}T${time}`))
}

/** How far back `--since` looks: a duration before now, or a time. Throws the same errors as `readTime`. */
export function parseSince(text: string, now: number): number {
  const ms = parseDuration(text)
  return ms === undefined ? parseInstant(text, '--since', '7d, 12h, ') : now - ms
}
