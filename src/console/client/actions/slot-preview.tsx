import type { PostAnswer } from '../api/types.ts'
import { countText } from '../format/numbers.ts'
import { SlotTimes } from './slot-times.tsx'

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
      <SlotTimes {...{ slots, count, timezone }} />
    </>
  )
}
