import { formatNumber } from '../../../../core/format/figures.ts'
import { valueText } from '../../format/value-text.ts'
import { place, setQuery } from '../../router/location.ts'
import { clockText } from '../../time/format-time.ts'
import { zone } from '../../time/zone.ts'
import { Empty, Loading, Problem } from '../../ui/notice.tsx'
import { saveText } from '../../ui/save-text.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { type RunEvent, useLog } from './use-log.ts'

/** The events of a run: all events, or events with a given word. All events can be saved as a file. */
export function LogTab({ runId }: { runId: string }) {
  const { events, error } = useLog(runId)
  const find = place.value.query.get('find') ?? ''
  if (error && !events) return <Problem error={error} />
  if (!events) return <Loading rows={8} />
  if (events.length === 0) return <Empty>Nothing has happened yet.</Empty>
  const found = events.filter((event) => lineOf(event).toLowerCase().includes(find.toLowerCase()))
  const save = () => saveText(`${runId}.jsonl`, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return (
    <>
      <div class="toolbar">
        <SearchField
          text={find}
          label="Search the log"
          hint="Search the log"
          onText={(text) => setQuery({ find: text })}
        />
        <span class="muted" role="status">
          {find !== '' && `${formatNumber(found.length)} of `}
          {formatNumber(events.length)} events, times in {zone.value}
        </span>
        <button type="button" onClick={save}>
          Download
        </button>
      </div>
      {found.length === 0 ? <Empty>No event matches.</Empty> : <Lines events={found} />}
    </>
  )
}

function Lines({ events }: { events: readonly RunEvent[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: anything that scrolls must be reachable with the keyboard.
    <ol class="log" tabIndex={0} aria-label="Events of the run">
      {events.map((event, index) => (
        <li key={index}>
          <span class="muted figure">{clockText(Date.parse(String(event.at)), zone.value)}</span>
          <span class="what">
            <b class={event.status === 'failed' ? 'bad' : undefined}>{String(event.event)}</b> {eventText(event)}
          </span>
        </li>
      ))}
    </ol>
  )
}

function lineOf(event: RunEvent): string {
  return `${event.event} ${eventText(event)}`
}

/** Fields that have their own column or are the same in every line. */
const LEFT_OUT = new Set(['at', 'event', 'runId', 'pipeline', 'seq', 'version'])

/** The fields of an event in one line. */
function eventText(event: RunEvent): string {
  return Object.entries(event)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join('  ')
}
