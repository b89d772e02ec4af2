import { formatRoughDuration } from '../../../core/format/duration-text.ts'
import { fullTimeText, isNearChange, timeText, zoneOffsetText } from '../time/format-time.ts'
import { now } from '../time/now.ts'
import { zone } from '../time/zone.ts'

/** The text of a time in the chosen zone, for names and messages. */
export function shownTime(at: string): string {
  return timeText(Date.parse(at), zone.value, Date.now())
}

/**
 * A time in the chosen zone. Columns name the zone in their headings. Elsewhere, `withZone` shows the offset. Around a
 * clock change the offset is always shown, because an hour may occur twice.
 */
export function Time({ at, withZone = false }: { at: string; withZone?: boolean }) {
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={fullTimeText(ms, zone.value)} class="figure">
      {shownTime(at)}
      {(withZone || isNearChange(ms, zone.value)) && ` ${zoneOffsetText(ms, zone.value)}`}
    </time>
  )
}

/** How long something has been going on. The time grows. */
export function Since({ at }: { at: string }) {
  return <span class="figure">{formatRoughDuration(now.value - Date.parse(at))}</span>
}

/** How long it is until a time. */
export function Until({ at }: { at: string }) {
  const ms = Date.parse(at) - now.value
  return <span class="figure">{ms <= 0 ? 'now' : `in ${formatRoughDuration(ms)}`}</span>
}

/** A time in the time zone of its schedule. */
export function OwnClock({ local, timezone }: { local: string | undefined; timezone: string | undefined }) {
  return (
    <>
      <span class="figure">{timezone === 'UTC' ? local?.replace(/ Z$/, '') : local}</span>{' '}
      <span class="muted">{timezone}</span>
    </>
  )
}
