import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatNumber } from '../../../../core/format/figures.ts'
import { asCallError, type CallError } from '../../api/call-error.ts'
import { get } from '../../api/request.ts'
import { valueText } from '../../format/value-text.ts'
import { ofRun } from '../../live/changes.ts'
import { keepReading } from '../../live/keep-reading.ts'
import { place } from '../../router/location.ts'
import { clockText } from '../../time/format-time.ts'
import { zone } from '../../time/zone.ts'
import { Empty, Loading, ProblemNotice } from '../../ui/notice.tsx'
import { SearchField } from '../../ui/search-field.tsx'

type RunEvent = Readonly<Record<string, unknown>>
const PAGE = 1000

/** The events of a run: all events, or events with a given word. All events can be saved as a file. */
export function LogTab({ runId }: { runId: string }) {
  const { events, error } = useLog(runId)
  const find = place.value.query.get('find') ?? ''
  if (error && !events) return <ProblemNotice error={error} />
  if (!events) return <Loading rows={8} />
  if (events.length === 0) return <Empty>Nothing has happened yet.</Empty>
  const found = events.filter((event) => lineOf(event).toLowerCase().includes(find.toLowerCase()))
  const save = () => saveText(`${runId}.jsonl`, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return (
    <>
      <div class="toolbar">
        <SearchField name="find" label="Search the log" />
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

/** The events of a run, oldest first. New events are added at the end. */
function useLog(runId: string) {
  const events = useSignal<readonly RunEvent[] | undefined>(undefined)
  const error = useSignal<CallError | undefined>(undefined)
  useEffect(() => {
    let last = -1
    const stop = new AbortController()
    const read = async () => {
      try {
        for (let hasMore = true; hasMore; ) {
          const page = await get('runs.logs', { runId, after: last, limit: PAGE }, stop.signal)
          last = page.last
          hasMore = page.more
          events.value = [...(events.peek() ?? []), ...page.events]
        }
        error.value = undefined
      } catch (failure) {
        if (!stop.signal.aborted) error.value = asCallError(failure)
      }
    }
    keepReading(read, ofRun(runId), stop.signal)
    return () => stop.abort()
  }, [runId])
  return { events: events.value, error: error.value }
}

/** Lets the browser save a text as a file. */
function saveText(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = name
  link.click()
  // By then, the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
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
