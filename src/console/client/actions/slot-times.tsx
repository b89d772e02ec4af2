import { formatNumber } from '../../../core/format/figures.ts'
import { offsetText, timeText } from '../time/format-time.ts'

const SHOWN = 12

/** The first of some slots, by the clock of their schedule. */
export function SlotTimes({
  slots,
  count,
  timezone,
}: {
  readonly slots: readonly string[]
  readonly count: number
  readonly timezone: string
}) {
  return (
    <ul class="history figure">
      {slots.slice(0, SHOWN).map((at) => (
        <li key={at}>
          {timeText(Date.parse(at), timezone, Date.now())} {offsetText(Date.parse(at), timezone)}
        </li>
      ))}
      {count > SHOWN && <li>and {formatNumber(count - SHOWN)} more</li>}
    </ul>
  )
}
