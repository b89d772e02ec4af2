import { count } from '../../../core/format/figures.ts'
import { to } from '../router/location.ts'
import { dayText, periodOf } from '../time/format-time.ts'
import { zone } from '../time/zone.ts'
import { barParts, type DayOfRuns } from './runs-by-day.ts'

const HEIGHT = 92
const FOOT = 20

/** A bar for each day, which links to the runs of that day. Its name and tooltip contain the numbers. */
export function DayBars({ days }: { days: readonly DayOfRuns[] }) {
  const most = Math.max(1, ...days.map(({ succeeded, failed, cancelled }) => succeeded + failed + cancelled))
  const scale = (HEIGHT - FOOT - 6) / most
  return (
    <div class="day-bars">
      {days.map((day) => (
        <Bar key={day.day} day={day} scale={scale} />
      ))}
    </div>
  )
}

function Bar({ day: shown, scale }: { day: DayOfRuns; scale: number }) {
  const { day, succeeded, succeededInPart, failed, cancelled } = shown
  const total = succeeded + failed + cancelled
  const inPart = succeededInPart > 0 ? ` (${succeededInPart} in part)` : ''
  const name =
    total === 0
      ? `${dayText(day)}: no runs`
      : `${dayText(day)}: ${count(total, 'run')}, ${succeeded} succeeded${inPart}, ${failed} failed, ${cancelled} cancelled`
  return (
    <a class="day" href={to('/runs', periodOf(day, day, zone.value))} aria-label={name} title={name}>
      <span class="stack">
        {barParts(shown).map(
          ([kind, count]) =>
            count > 0 && (
              <span key={kind} class={`part ${kind}`} style={{ height: `${Math.max(3, count * scale)}px` }} />
            ),
        )}
      </span>
      <span class="label">{dayText(day).slice(4)}</span>
    </a>
  )
}
