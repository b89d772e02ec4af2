import type { ScheduleItem } from '../../api/types.ts'
import { place, setQuery } from '../../router/location.ts'
import { triggerKey } from '../../runs/run-link.tsx'
import { Select } from '../../ui/fields.tsx'

/** The only schedule that the page shows, from the address; undefined if it shows all. */
export function chosenOf(schedules: readonly ScheduleItem[]): ScheduleItem | undefined {
  return schedules.find((schedule) => triggerKey(schedule) === place.value.query.get('schedule'))
}

interface ScheduleChoiceProps {
  schedules: readonly ScheduleItem[]
  chosen: ScheduleItem | undefined
  all?: boolean
}

/** Lets people choose a schedule. With `all`, they can also choose all schedules. */
export function ScheduleChoice({ schedules, chosen, all }: ScheduleChoiceProps) {
  const names = schedules.map(triggerKey)
  return (
    <Select
      name="Schedule"
      value={chosen ? triggerKey(chosen) : ''}
      choices={all ? [['', 'All schedules'], ...names] : names}
      onChoice={(schedule) => setQuery({ schedule })}
    />
  )
}
