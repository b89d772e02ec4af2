import type { Change } from '../../live/changes.ts'
import { place, setQuery } from '../../router/location.ts'
import { Select } from '../../ui/fields.tsx'

interface Named {
  readonly pipeline: string
  readonly trigger: string
}

/** Whether slots may look different after a change. */
export function affectsSlots({ kind }: Change): boolean {
  return kind === 'runs' || kind === 'pipelines'
}

/** The only schedule that the page shows, from the address; undefined if it shows all. */
export function chosenOf<Schedule extends Named>(schedules: readonly Schedule[]): Schedule | undefined {
  return schedules.find((schedule) => nameOf(schedule) === place.value.query.get('schedule'))
}

/** Lets people choose a schedule. With `all`, they can also choose all schedules. */
export function ScheduleChoice({
  schedules,
  chosen,
  all,
}: {
  schedules: readonly Named[]
  chosen: Named | undefined
  all?: boolean
}) {
  const names = schedules.map(nameOf)
  return (
    <Select
      name="Schedule"
      value={chosen ? nameOf(chosen) : ''}
      choices={all ? [['', 'All schedules'], ...names] : names}
      onChoice={(schedule) => setQuery({ schedule })}
    />
  )
}

function nameOf({ pipeline, trigger }: Named): string {
  return `${pipeline}/${trigger}`
}
