import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { asCallError, type CallError } from '../../api/call-error.ts'
import { get } from '../../api/request.ts'
import { concernsRun, onChange } from '../../live/changes.ts'
import { throttled } from '../../live/throttled.ts'

export type RunEvent = Readonly<Record<string, unknown>>
const PAGE = 1000

/** The events of a run, oldest first. New events are added at the end. */
export function useLog(runId: string): {
  readonly events: readonly RunEvent[] | undefined
  readonly error: CallError | undefined
} {
  const events = useSignal<readonly RunEvent[] | undefined>(undefined)
  const error = useSignal<CallError | undefined>(undefined)
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
        if (!stop.signal.aborted) error.value = asCallError(failure)
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
  return { events: events.value, error: error.value }
}
