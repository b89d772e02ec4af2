import { formatRoughDuration } from '../../../core/format/duration-text.ts'
import { fullTimeText, isNearChange, offsetText, timeText } from '../time/format-time.ts'
import { now } from '../time/now.ts'
import { zone } from '../time/zone.ts'

/**
 * A time in the chosen zone. Columns name the zone in their heads; anywhere else `withZone` shows the offset. Around a
 * change of the clocks it is always shown: there an hour comes twice.
 */
export function Time({ at, withZone = false }: { readonly at: string; readonly withZone?: boolean }) {
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={fullTimeText(ms, zone.value)} class="figure">
      {timeText(ms, zone.value, Date.now())}
      {(withZone || isNearChange(ms, zone.value)) && ` ${offsetText(ms, zone.value)}`}
    </time>
  )
}

/** How long something has been going on; it grows. */
export function Since({ at }: { readonly at: string }) {
  return <span class="figure">{formatRoughDuration(now.value - Date.parse(at))}</span>
}

/** How long until something. */
export function Until({ at }: { readonly at: string }) {
  const ms = Date.parse(at) - now.value
  return <span class="figure">{ms <= 0 ? 'now' : `in ${formatRoughDuration(ms)}`}</span>
}

/** The head of a column of times. */
export function TimeHead({ children }: { readonly children: string }) {
  return (
    <th scope="col">
      {children} <small class="zone">{zone.value}</small>
    </th>
  )
}

/** A cell with a time by the clock of its schedule. */
export function OwnClockCell({
  local,
  timezone,
}: {
  readonly local: string | undefined
  readonly timezone: string | undefined
}) {
  return (
    <td class="text">
      <span class="figure">{local}</span> <span class="muted">{timezone}</span>
    </td>
  )
}
