import { count } from '../../../core/format/figures.ts'
import type { PostAnswer } from '../api/types.ts'
import { SlotTimes } from './slot-times.tsx'

/** Which slots a backfill would run. */
export function SlotPreview({
  preview,
  timezone,
}: {
  readonly preview: PostAnswer<'/schedules/{pipeline}/{trigger}/backfill'>
  readonly timezone: string
}) {
  const { slots, count: total, waiting, ran, excluded } = preview
  const others = [
    waiting > 0 && `${waiting} due already`,
    ran > 0 && `${ran} with a run`,
    excluded > 0 && `${excluded} on excluded days`,
  ].filter(Boolean)
  return (
    <>
      <p>
        <strong>{count(total, 'slot')}</strong> would become due
        {others.length > 0 && `; left out: ${others.join(', ')}`}.
      </p>
      <SlotTimes {...{ slots, timezone }} count={total} />
    </>
  )
}
