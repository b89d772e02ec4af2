import type { PostAnswer } from '../api/types.ts'
import { countText } from '../format/numbers.ts'
import { offsetText, timeText } from '../time/format-time.ts'

const SHOWN = 12

/** Which slots a backfill would run. */
export function SlotPreview({
  preview,
  timezone,
}: {
  readonly preview: PostAnswer<'/schedules/{pipeline}/{trigger}/backfill'>
  readonly timezone: string
}) {
  const { slots, count, waiting, ran, excluded } = preview
  const others = [
    waiting > 0 && `${waiting} due already`,
    ran > 0 && `${ran} with a run`,
    excluded > 0 && `${excluded} on excluded days`,
  ].filter(Boolean)
  return (
    <>
      <p>
        <strong>{countText(count, 'slot')}</strong> would become due
        {others.length > 0 && `; left out: ${others.join(', ')}`}.
      </p>
      <ul class="history figure">
        {slots.slice(0, SHOWN).map((at) => (
          <li key={at}>
            {timeText(Date.parse(at), timezone, Date.now())} {offsetText(Date.parse(at), timezone)}
          </li>
        ))}
        {count > SHOWN && <li>and {count - SHOWN} more</li>}
      </ul>
    </>
  )
}
