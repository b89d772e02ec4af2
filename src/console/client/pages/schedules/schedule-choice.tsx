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

/** The schedule in the address that a page shows alone; undefined for none. */
export function chosenOf<Schedule extends Named>(schedules: readonly Schedule[]): Schedule | undefined {
  return schedules.find((schedule) => nameOf(schedule) === place.value.query.get('schedule'))
}

/** Chooses it; `all` offers all of them, too. */
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
