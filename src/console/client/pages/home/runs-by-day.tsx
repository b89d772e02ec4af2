import { useMemo } from 'preact/hooks'
import { useRead } from '../../api/use-read.ts'
import { DayBars } from '../../charts/day-bars.tsx'
import { runsByDay } from '../../charts/runs-by-day.ts'
import { dayOf, lastDays, startOfDay } from '../../time/format-time.ts'
import { now } from '../../time/now.ts'
import { zone } from '../../time/zone.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'

const DAYS = 14

/** How the runs of the last days ended, by the days of the chosen zone. */
export function RunsByDay() {
  const today = dayOf(now.value, zone.value)
  const { days, from, to } = useMemo(() => {
    const days = lastDays(Date.parse(`${today}T12:00:00Z`), 'UTC', DAYS)
    const from = startOfDay(days[0] ?? today, zone.value)
    return { days, from, to: startOfDay(today, zone.value) + 36 * 3_600_000 }
  }, [today, zone.value])
  const input = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const read = useRead('/hours', input, ({ kind }) => kind === 'runs')
  return (
    <Section title={`Runs of the last ${DAYS} days`} aside={<small class="muted">Days of {zone.value}</small>}>
      <Loaded read={read} rows={3}>
        {({ hours }) => <DayBars days={runsByDay(hours, days, zone.value)} />}
      </Loaded>
    </Section>
  )
}
