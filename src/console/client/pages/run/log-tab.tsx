import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api-error.ts'
import { get } from '../../api/request.ts'
import { concernsRun, onChange } from '../../live/changes.ts'
import { throttled } from '../../live/throttled.ts'
import { clockText } from '../../time/format-time.ts'
import { zone } from '../../time/zone.ts'
import { Empty, Loading, Problem } from '../../ui/notice.tsx'
import { eventText } from './event-text.ts'

type RunEvent = Readonly<Record<string, unknown>>
const PAGE = 1000

/** The events of a run, oldest first; new ones are added at the end. */
export function LogTab({ runId }: { readonly runId: string }) {
  const events = useSignal<readonly RunEvent[] | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  useEffect(() => {
    let last = -1
    const stop = new AbortController()
    const read = throttled(async () => {
      try {
        for (let hasMore = true; hasMore; ) {
          const page = await get('/runs/{runId}/logs', { runId, after: last, limit: PAGE }, stop.signal)
          last = page.last
          hasMore = page.more
          events.value = [...(events.peek() ?? []), ...page.events]
        }
        error.value = undefined
      } catch (failure) {
        if (!stop.signal.aborted) error.value = asApiError(failure)
      }
    }, 400)
    read()
    const leave = onChange((change) => {
      if (change.kind === 'hello' || concernsRun(change, runId)) read()
    })
    return () => {
      stop.abort()
      leave()
    }
  }, [runId])
  if (error.value && !events.value) return <Problem error={error.value} />
  if (!events.value) return <Loading rows={8} />
  if (events.value.length === 0) return <Empty>Nothing has happened yet.</Empty>
  return (
    <>
      <p class="muted under-tabs">Times in {zone.value}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard. */}
      <ol class="log" tabIndex={0} aria-label="Events of the run">
        {events.value.map((event, index) => (
          <li key={index}>
            <span class="muted figure">{clockText(Date.parse(String(event.at)), zone.value)}</span>
            <span class="what">
              <b>{String(event.event)}</b> {eventText(event)}
            </span>
          </li>
        ))}
      </ol>
    </>
  )
}
